"""Environments of the four real languages."""
