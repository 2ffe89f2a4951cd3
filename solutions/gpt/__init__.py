"""Solutions on a GPT as layers: attention with rotary positions and a cache, the block, the model, and its writing."""
