"""What was evaluated → the instance graph, and the resources that are exported from it."""
