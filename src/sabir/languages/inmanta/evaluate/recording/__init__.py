"""Evaluation that remembers what every value was computed from, for `why` and `impact`."""
