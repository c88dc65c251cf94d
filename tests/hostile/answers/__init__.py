"""Servers that lie, and what becomes of a command that asks them."""
