"""Definitions rendered once more to record what each part of their text depends on, on request only."""
