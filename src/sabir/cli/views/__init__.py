"""How results are shown, for people and for machines."""
