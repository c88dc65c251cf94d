"""Loading the plug-ins of all modules of a project, or only their names when they may not run."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from sabir.diagnostics.finding import Finding
from sabir.languages.inmanta.evaluate.calls import PLUGIN
from sabir.languages.inmanta.evaluate.functions import Function, Functions
from sabir.languages.inmanta.evaluate.plugins.api import Recorder, Registered, recording
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.functions import plugin_files, plugin_names
from sabir.languages.inmanta.syntax.modules import Module
from sabir.languages.inmanta.syntax.project import Namespace
from sabir.text import Place, Source, Span

__all__ = ["load_functions"]


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
        except (Exception, SystemExit) as error:  # noqa: BLE001  # importing somebody's Python may raise anything
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


def _import_failure(module: Module, file: str, error: BaseException) -> Finding:
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
    return PLUGIN.at(
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
