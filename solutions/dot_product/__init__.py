"""Attention whose score is a dot product."""
