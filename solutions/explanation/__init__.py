"""Is attention explanation? What the weights of a classifier show, and what they do not."""
