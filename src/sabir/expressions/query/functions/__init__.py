"""The functions of spec 004, a module each subject; the registry imports them when they are first called."""

from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, find, function, load_plugins, names

__all__ = ["Call", "Function", "Matches", "find", "function", "load_plugins", "names"]
