"""Conformance cases and the command that runs them: `python -m tests.conformance LANGUAGE`."""
