"""The functions of spec 004, a module each subject, imported when they are first called."""

from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, find, load_plugins, names, table

__all__ = ["Call", "Function", "Matches", "find", "load_plugins", "names", "table"]
