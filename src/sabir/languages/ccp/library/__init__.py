"""The defaults of the framework."""
