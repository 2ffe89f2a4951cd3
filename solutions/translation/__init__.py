"""An encoder-decoder with attention that translates."""
