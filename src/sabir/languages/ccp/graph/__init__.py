"""From an evaluated deployment to the instance graph."""
