"""Sentiment: classifiers of reviews, with attention over words and over sentences."""
