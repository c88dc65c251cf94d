"""Rules that only a check applies; what evaluation needs as well is in `model`."""
