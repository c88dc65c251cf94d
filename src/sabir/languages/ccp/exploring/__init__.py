"""CCP for editors: names of definitions and settings, and what may be written next."""

from sabir.languages.ccp.exploring.completing import candidates, wanted_keys
from sabir.languages.ccp.exploring.definitions import file_names, libraries

__all__ = ["candidates", "file_names", "libraries", "wanted_keys"]
