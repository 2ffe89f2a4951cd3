"""What chapters import: the frameworks, figures and data sets."""
