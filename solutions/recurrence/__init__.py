"""Solutions on attention as a recurrence."""
