"""The evaluator. Statements run in order and wait only for values that are not available yet."""
