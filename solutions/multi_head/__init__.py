"""Several heads of attention side by side: split, attend, join."""
