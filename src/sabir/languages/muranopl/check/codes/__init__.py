"""The codes of the package checks with their documentation, one module a validator."""
