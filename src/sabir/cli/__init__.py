"""The command line: turns arguments into a call of an operation and shows its result."""
