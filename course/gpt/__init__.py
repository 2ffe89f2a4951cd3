"""A learner's own GPT at work: what runs the package `my_gpt`, which `autograder/checking/my_gpt.py` writes."""
