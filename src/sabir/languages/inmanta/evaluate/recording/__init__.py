"""Evaluation that records what every value was computed from, for `why` and `impact`."""
