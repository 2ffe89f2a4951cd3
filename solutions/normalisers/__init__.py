"""Solutions on what may stand in place of the softmax."""
