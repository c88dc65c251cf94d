"""Bundled modules, written in the language itself."""
