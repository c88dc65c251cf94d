"""The library that the other modules declare their functions in."""

from typing import Final

from sabir.expressions.yaql import Library
from sabir.languages.muranopl.model.plain_functions import VALUES

__all__ = ["MURANO"]

MURANO: Final = Library(VALUES)
