"""Objects as instances of the graph."""
