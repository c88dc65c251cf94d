"""The instance graph of an evaluated model, and the resources exported from it."""
