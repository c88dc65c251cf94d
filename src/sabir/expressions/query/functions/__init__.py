"""The functions of spec 004, a module each subject, imported when they are first called."""

from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.registry import (
    Function,
    find_function,
    function_names,
    load_plugins,
    table,
)

__all__ = ["Function", "FunctionCall", "Matches", "find_function", "function_names", "load_plugins", "table"]
