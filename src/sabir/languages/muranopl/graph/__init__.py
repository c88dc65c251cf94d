"""Objects as instances of the graph, and deployments as programs."""
