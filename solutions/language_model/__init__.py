"""Solutions on language models."""
