"""Expression languages; each compiles once and runs many times."""
