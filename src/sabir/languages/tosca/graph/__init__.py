"""From live instances to the instance graph."""
