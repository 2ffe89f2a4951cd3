"""Exact attention in less memory."""
