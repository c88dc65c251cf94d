"""Resources → the instance graph, and what is wanted."""
