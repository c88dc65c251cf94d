"""From a component's files to typed definitions with locations."""
