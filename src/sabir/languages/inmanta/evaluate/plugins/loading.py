"""Loading the plug-ins of all modules of a project, or only their names when they may not run."""

from __future__ import annotations

import re
from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding
from sabir.languages.inmanta import codes
from sabir.languages.inmanta.check.definitions import Definitions
from sabir.languages.inmanta.evaluate.functions import Function, Functions
from sabir.languages.inmanta.evaluate.plugins.api import Recorder, Registered, recording
from sabir.languages.inmanta.syntax.modules import Module
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.text import Place, Source, Span

if TYPE_CHECKING:
    import ast

__all__ = ["load_functions", "modules_with_plugins", "plugin_names"]


_DECORATED: Final = r"(?m)^@(?:[\w.]+\.)?plugin\b[^\n]*\n(?:@[^\n]*\n)*def (\w+)"
"""A plug-in in a text that cannot be parsed."""


def plugin_files(module: Module) -> list[str]:
    return [
        name for name in module.plugins.list("") if name.endswith(".py") and not name.startswith("model/")
    ]


def modules_with_plugins(definitions: Definitions) -> list[Module]:
    """The modules of others that bring Python."""
    modules = definitions.project.modules.values()
    return [one for one in modules if not one.ours and any(plugin_names(one))]


def plugin_names(module: Module) -> list[str]:
    """The names of a module's plug-ins, read from its Python text without running it."""
    files = plugin_files(module)
    if not files:
        return []
    import ast

    found: list[str] = []
    for file in files:
        source = module.plugins.file(file)
        if source is None:
            continue
        try:
            tree = ast.parse(source.source.text)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            found += re.findall(_DECORATED, source.source.text)  # it may be written for a newer Python
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                found += [name for one in node.decorator_list if (name := _plugin_name(one, node.name))]
    return found


def _plugin_name(decorator: ast.expr, name: str) -> str | None:
    import ast

    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    last = (
        called.attr
        if isinstance(called, ast.Attribute)
        else called.id
        if isinstance(called, ast.Name)
        else ""
    )
    if last != "plugin":
        return None
    if isinstance(decorator, ast.Call):
        given = [*decorator.args, *(one.value for one in decorator.keywords if one.arg == "function")]
        if given and isinstance(given[0], ast.Constant) and isinstance(given[0].value, str):
            return given[0].value
    return name


def load_functions(definitions: Definitions, *, run: bool) -> tuple[Functions, Recorder, list[Finding]]:
    """Every function a model can call. With `run` False, other people's plug-ins are known by name only."""
    functions = Functions()
    everything = Recorder()
    findings: list[Finding] = []
    for module in definitions.project.modules.values():
        if module.ours:
            recorder = _ours(module)
        elif run:
            recorder = Recorder()
            finding = _run(module, recorder)
            if finding is not None:
                findings.append(finding)
        else:
            for name in plugin_names(module):
                full = f"{module.name}::{name}"
                functions.add(full, Function(full, _never, refused=True))
            continue
        _add(module, recorder, definitions, functions)
        everything.resources += recorder.resources
    return functions, everything, findings


def _never(*_: Any) -> Any:
    raise AssertionError("a refused plug-in was called")


def _ours(module: Module) -> Recorder:
    library = import_module(f"sabir.languages.inmanta.library.{module.name}.plugins")
    recorder: Recorder = library.RECORDER
    return recorder


def _run(module: Module, recorder: Recorder) -> Finding | None:
    """Import the Python files of a module; what they register is recorded."""
    for file in plugin_files(module):
        parts = file[: -len(".py")].split("/")
        if parts[-1] == "__init__":
            parts.pop()
        name = ".".join(["inmanta_plugins", module.name, *parts])
        try:
            with recording(recorder):
                loaded = import_module(name)
        except Exception as error:  # noqa: BLE001  # importing somebody's Python may raise anything
            return _import_failure(module, file, error)
        _from_real_engine(loaded, recorder)
    return None


def _from_real_engine(loaded: Any, recorder: Recorder) -> None:
    """With the existing engine installed its own decorator has run; the functions carry the mark it left."""
    known = {one.function for one in recorder.plugins}
    for value in list(vars(loaded).values()):
        mark = getattr(value, "__plugin__", None) if callable(value) else None
        if isinstance(mark, type) and value not in known:
            name = getattr(mark, "__function_name__", value.__name__)
            recorder.plugins.append(Registered(str(name), value, value.__module__))


def _import_failure(module: Module, file: str, error: Exception) -> Finding:
    found = module.plugins.file(file)
    source = found.source if found is not None else Source(file, "")
    import traceback

    line = 1
    if isinstance(error, SyntaxError) and error.lineno:
        line = error.lineno
    else:
        own = [one for one in traceback.extract_tb(error.__traceback__) if source.name in one.filename]
        if own and own[-1].lineno:
            line = own[-1].lineno
    start = source.offset(line)
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    return Finding(
        code=codes.PLUGIN,
        message=f"the plug-ins of module {module.name!r} cannot be loaded: {type(error).__name__}: {error}",
        place=Place(source, Span(start, start + len(source.line_text(line)))),
        hint=f"install the Python package that provides {missing!r}" if missing else None,
    )


def _add(module: Module, recorder: Recorder, definitions: Definitions, functions: Functions) -> None:
    space = definitions.project.namespaces.get(module.name)
    if space is None:
        return
    for registered in recorder.plugins:
        inside = registered.module.split(".")
        sub = inside[inside.index(module.name) + 1 :] if module.name in inside and not module.ours else []
        names = [f"{module.name}::{registered.name}"]
        if sub:  # a plug-in of a file other than __init__.py is known in the namespace of its file, too
            names.append("::".join([module.name, *sub, registered.name]))
        for name in names:
            if name not in functions:
                functions.add(name, _maker(registered, name, definitions, space, ours=module.ours))


def _maker(
    registered: Registered, name: str, definitions: Definitions, space: Namespace, *, ours: bool
) -> Callable[[], Function]:
    def make() -> Function:
        from sabir.languages.inmanta.evaluate.plugins.signature import function_of

        return function_of(registered, name, definitions, space, ours=ours)

    return make
