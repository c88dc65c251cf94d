"""Syntax trees to Python closures: each node becomes a function of the variables, with all it needs bound."""
