"""Modules that come with sabir, written in the language itself."""
