"""Solutions on attention to fewer pairs."""
