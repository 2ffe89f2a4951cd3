"""The transformer: layer norm, residuals, feed-forward, encoder and decoder blocks, and a small one to train."""
