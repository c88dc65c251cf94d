"""Parsing of the Inmanta language into typed, frozen nodes with locations."""
