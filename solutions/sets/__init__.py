"""Solutions on attention between any two sets: learned queries, neighbours in a graph, a store."""
