"""Small packages that show what a rule reports: one module for checks, one for runs. Tests check or evaluate all of them."""
