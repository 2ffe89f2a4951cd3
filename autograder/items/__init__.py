"""Items in which a fault is found, made from the wrong ideas of the exercises."""
