"""The library that the other modules declare their functions in."""

from sabir.expressions.yaql import STANDARD, Library
from sabir.expressions.yaql.library.formatting import declare_format

MURANO = Library(STANDARD)
declare_format(MURANO)
