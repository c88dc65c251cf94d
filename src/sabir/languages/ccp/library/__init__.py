"""What the framework itself brings: its defaults."""
