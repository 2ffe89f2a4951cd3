"""Solutions on compressed keys and values."""
