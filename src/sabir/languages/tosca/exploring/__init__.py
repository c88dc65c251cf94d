"""TOSCA for editors: names of templates and types, and what may be written next."""

from sabir.languages.tosca.exploring.completing import candidates, wanted_keys
from sabir.languages.tosca.exploring.templates import file_names, libraries

__all__ = ["candidates", "file_names", "libraries", "wanted_keys"]
