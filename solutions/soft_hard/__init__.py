"""Soft and hard attention over the patches of an image, after Xu et al. (2015)."""
