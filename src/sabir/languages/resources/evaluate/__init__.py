"""Values of resources: expressions, inputs, files."""
