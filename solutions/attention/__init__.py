"""Attention as a weighted sum, from kernel regression to learned scores."""
