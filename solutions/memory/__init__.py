"""Solutions on memory."""
