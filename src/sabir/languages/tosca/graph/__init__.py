"""The instance graph of a topology, and the operations that deploy it."""
