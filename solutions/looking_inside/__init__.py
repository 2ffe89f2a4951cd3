"""Solutions on looking inside a trained model."""
