"""python: a function of the project's own code, run only when its owner allows it."""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Callable, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader, SourcelessFileLoader
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any, Final

from sabir.diagnostics.reasons import error_text, explain_error
from sabir.expressions.query.access import FILE_NOT_FOUND, base_directory, normalize_path, require_reachable
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import REFUSED, expression_rule
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.resource import QueryResource

PYTHON_NOT_FOUND: Final = expression_rule(
    "EXPR:E014",
    title="a Python function that is not there",
    why="The module cannot be imported, or it has no function of that name. A path to a file goes before '#', a module before the last dot.",
    trust=("python",),
)

PYTHON_RAISED: Final = expression_rule(
    "EXPR:E015",
    title="a Python function that raised",
    why="The finding repeats its exception. The function gets the context first and 'args' second.",
    trust=("python",),
)


class _Modules(dict[tuple[Path, float], ModuleType]):
    """Files of Python that a session has run, by path and time of their last change."""


class PythonContext:
    """What a Python function gets first: the names of Unfurl's RefContext that such functions use."""

    def __init__(self, context: QueryContext) -> None:
        self._context = context

    @property
    def currentResource(self) -> QueryResource:  # noqa: N802  # the name Unfurl gave it
        return self._context.resource

    @property
    def vars(self) -> Any:
        return self._context.scope

    @property
    def base_dir(self) -> str:
        return str(self._context.directory or base_directory(self._context))

    def query(self, expression: Any) -> Any:
        """The expression in single mode."""
        from sabir.expressions.query.forms import compile_expression
        from sabir.expressions.query.values import plain_value, single_value

        return plain_value(single_value(compile_expression(expression)(self._context)))


def call_python(call: FunctionCall, context: QueryContext) -> Any:
    written = call.text(context, "the name of a Python function")
    if not context.session.work.trust.python:
        call.fail(
            context,
            f"python {written!r} is not run: the project is not trusted",
            REFUSED,
            "allow it with --trust python, if you know where this description comes from",
        )
    load = _from_file if "#" in written else _from_module
    function = load(written, call, context)
    arguments = [PythonContext(context)]
    if "args" in call.keywords:
        arguments.append(call.value(context, call.keywords["args"]))
    try:
        return function(*arguments)
    except (Exception, SystemExit) as error:  # noqa: BLE001  # whatever it raises is what went wrong with it
        call.fail(
            context, f"python {written!r} raised {type(error).__name__}: {error_text(error)}", PYTHON_RAISED
        )


def _from_file(written: str, call: FunctionCall, context: QueryContext) -> Callable[..., Any]:
    name, _, attribute = written.rpartition("#")
    path = require_reachable(
        normalize_path(name, context.directory or base_directory(context)), call, context
    )
    if not os.path.isfile(path):
        call.fail(context, f"there is no file {str(path)!r}", FILE_NOT_FOUND)
    key = (path, path.stat().st_mtime)
    modules = context.session.work.cache(_Modules)
    module = modules.get(key)
    if module is None:
        module = modules[key] = _load_file(path, written, call, context)
    return _find_function(module, attribute, written, call, context)


def _load_file(path: Path, written: str, call: FunctionCall, context: QueryContext) -> ModuleType:
    module = ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        exec(compile(path.read_bytes(), str(path), "exec"), module.__dict__)  # noqa: S102  # the owner allowed it
    except (Exception, SystemExit) as error:  # noqa: BLE001
        call.fail(
            context,
            f"python {written!r} cannot be loaded: {type(error).__name__}: {error_text(error)}",
            PYTHON_RAISED,
        )
    return module


class _SourceLoader(SourceFileLoader):
    """Compiles the source. Compiled files next to it may hold other code, and are not part of what permission is granted for."""

    def get_code(self, fullname: str) -> CodeType:
        path = self.get_filename(fullname)
        code: CodeType = self.source_to_code(self.get_data(path), path)
        return code


class _SourceFinder:
    """Finds modules of a project by their source alone."""

    def __init__(self, base: str) -> None:
        self._base = os.path.realpath(base)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None, /
    ) -> ModuleSpec | None:
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.origin is None or not self._is_inside(spec.origin):
            return None
        if isinstance(spec.loader, SourcelessFileLoader):
            raise ImportError(f"{spec.origin!r} is compiled: a project needs the source", name=fullname)
        if isinstance(spec.loader, SourceFileLoader):
            spec.loader = _SourceLoader(fullname, spec.origin)
            spec.cached = None
        return spec

    def _is_inside(self, origin: str) -> bool:
        return Path(os.path.realpath(origin)).is_relative_to(self._base)


def _from_module(written: str, call: FunctionCall, context: QueryContext) -> Callable[..., Any]:
    name, _, attribute = written.rpartition(".")
    base = str(base_directory(context))
    added = base not in sys.path
    if added:
        sys.path.insert(0, base)
    finder = _SourceFinder(base)
    sys.meta_path.insert(0, finder)
    try:
        module = importlib.import_module(name)
    except (ImportError, ValueError) as error:
        call.fail(context, f"there is no module {name!r}: {explain_error(error)}", PYTHON_NOT_FOUND)
    finally:
        sys.meta_path.remove(finder)
        if added:
            sys.path.remove(base)
    return _find_function(module, attribute, written, call, context)


def _find_function(
    module: ModuleType, name: str, written: str, call: FunctionCall, context: QueryContext
) -> Callable[..., Any]:
    found = getattr(module, name, None)
    if not callable(found):
        call.fail(context, f"{module.__name__!r} has no function {name!r} (in {written!r})", PYTHON_NOT_FOUND)
    chosen: Callable[..., Any] = found
    return chosen


FUNCTIONS: Final = table(
    Function("python", call_python, keywords=("args",)),
)
