"""The evaluator: statements run straight through and wait only for a value that is not there yet."""
