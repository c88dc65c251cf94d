"""The tests of sabir; `tests.conformance` and `tests.requirements` are commands too."""
