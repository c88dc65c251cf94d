"""What the names of a model mean, found before anything runs."""
