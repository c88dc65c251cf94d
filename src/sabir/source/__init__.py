"""Source texts with locations, YAML with positions, packages and their loaders."""
