"""Each rule of comparison with an example that passes and one that fails."""
