"""Attention of a sequence to itself: Q, K and V, the causal mask, and positions."""
