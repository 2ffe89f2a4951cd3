"""What chapters import besides solutions: frameworks, figures, data sets and trainings."""
