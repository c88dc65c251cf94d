"""Drivers that come with sabir."""
