"""Sentiment: a classifier that attends, and what its weights explain."""
