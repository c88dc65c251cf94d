"""sabir reads, checks, evaluates and explains the languages in which systems are described."""

__all__ = ["__version__"]

__version__ = "0.1.0"
