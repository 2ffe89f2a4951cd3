"""Solutions on positions."""
