"""The meaning of a deployment: units and dependencies, nodes and what runs on them."""
