"""A sample plug-in for sabir."""
