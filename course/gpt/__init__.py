"""A learner's own GPT at work: what runs the package `my_gpt`, which `course/gpt/my_gpt.py` writes."""
