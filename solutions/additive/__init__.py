"""Attention whose score is a small network, the sum of a query and a key inside its tanh."""
