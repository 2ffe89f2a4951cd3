"""Softmax over the keys that are valid."""
