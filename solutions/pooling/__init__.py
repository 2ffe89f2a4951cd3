"""Attention that pools a sequence into one vector."""
