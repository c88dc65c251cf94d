"""Text with places, YAML with positions, packages and their loaders."""
