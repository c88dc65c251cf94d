"""Definitions that are rendered once more to see what each part of their text rests on; only when that is asked for."""
