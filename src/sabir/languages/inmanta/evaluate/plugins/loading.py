"""Loading the plug-ins of all modules of a project, or only their names when they may not run."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any

from sabir.diagnostics.finding import Finding, Related
from sabir.diagnostics.reasons import said_by
from sabir.languages.inmanta.evaluate.calls import PLUGIN
from sabir.languages.inmanta.evaluate.functions import Function, Functions
from sabir.languages.inmanta.evaluate.plugins.api import Registered, Registry
from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.newer import newer_python
from sabir.languages.inmanta.evaluate.plugins.stand_ins import resources_of_module
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.functions import file_namespace, full_names, plugin_files, read_module
from sabir.languages.inmanta.syntax.modules import Module
from sabir.languages.inmanta.syntax.project import DUPLICATE, Namespace
from sabir.session import Session
from sabir.text import Place, Source, Span

__all__ = ["load_functions", "load_resources"]


def load_functions(
    definitions: Definitions, python: ProjectPython, *, run: bool
) -> tuple[Functions, list[Finding]]:
    """Every function a model can call. With `run` False, other people's plug-ins are known by name only."""
    functions = Functions(python.sources, python.registry)
    findings: list[Finding] = []
    plugins: dict[str, list[Registered]] = {}
    for module in python.modules.values():
        if module.ours:
            plugins[module.name] = _register_ours(module, python).plugins
        elif run:
            before = len(python.registry.plugins)
            finding = _run(module)
            if finding is not None:
                findings.append(finding)
            for registered in python.registry.plugins[before:]:
                home = _home(registered, module)
                if home in python.modules:  # else only Python imports it: the model knows nothing of it
                    plugins.setdefault(home, []).append(registered)
        else:
            python.registry.resources += resources_of_module(module.name)
            read = read_module(module)
            for name in read.names:
                functions.add(name, _refuse(name))
            if read.computed:
                functions.add_open_module(module.name, _refuse)
    for name, registered_plugins in plugins.items():
        session = python.session if python.modules[name].ours else None
        findings += _add(name, registered_plugins, definitions, functions, session)
    return functions, findings


def load_resources(python: ProjectPython) -> list[Finding]:
    """Classes of resources, handlers and references alone, for who runs handlers; an import that fails is a finding."""
    findings: list[Finding] = []
    for module in python.modules.values():
        if module.ours:
            _register_ours(module, python)
        elif python.session.trust.python:
            finding = _run(module)
            findings += [] if finding is None else [finding]
        else:
            python.registry.resources += resources_of_module(module.name)
    return findings


def _register_ours(module: Module, python: ProjectPython) -> Registry:
    ours = _ours(module)
    python.registry.resources += ours.resources
    python.registry.references.references |= ours.references.references
    return ours


def _home(registered: Registered, importing: Module) -> str:
    """The module whose Python a function stands in: plug-ins of one module may import those of another."""
    package, _, inside = registered.module.partition(".")
    return inside.partition(".")[0] if package == "inmanta_plugins" else importing.name


def _refuse(name: str) -> Function:
    """Create a function of which only the name is known, and which is not called."""
    return Function(name, _never, refused=True)


def _never(*_: Any) -> Any:
    raise AssertionError("a refused plug-in was called")


def _ours(module: Module) -> Registry:
    library = import_module(f"sabir.languages.inmanta.library.{module.name}.plugins")
    registry: Registry = library.REGISTRY
    return registry


def _run(module: Module) -> Finding | None:
    """Import the Python files of a module, which register their plug-ins and classes of resources."""
    for file in plugin_files(module):
        name = ".".join(["inmanta_plugins", module.name, *file_namespace(file)])
        try:
            import_module(name)
        except (Exception, SystemExit) as error:  # noqa: BLE001  # importing somebody's Python may raise anything
            return _import_failure(module, file, error)
    return None


def _import_failure(module: Module, file: str, error: BaseException) -> Finding:
    code = module.plugins.file(file)
    source = code.source if code is not None else Source(file, "")
    import traceback

    line = 1
    if isinstance(error, SyntaxError) and error.lineno:
        line = error.lineno
    else:
        frames = [
            frame for frame in traceback.extract_tb(error.__traceback__) if source.name in frame.filename
        ]
        if frames and frames[-1].lineno:
            line = frames[-1].lineno
    start = source.offset(line)
    said = error.msg if isinstance(error, SyntaxError) else said_by(error)  # the place is that of the finding
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    return PLUGIN.at(
        message=f"the plug-ins of module {module.name!r} cannot be loaded: {type(error).__name__}: {said}",
        place=Place(source, Span(start, start + len(source.line_text(line)))),
        hint=f"install the Python package that provides {missing!r}"
        if missing
        else newer_python(error, source.line_text(line)),
    )


def _add(
    module: str,
    plugins: list[Registered],
    definitions: Definitions,
    functions: Functions,
    session: Session | None,
) -> Iterator[Finding]:
    """Functions of ours are looked into when they are called; those of others at once, as their declarations may be wrong."""
    spaces = definitions.project.namespaces
    if module not in spaces:
        return
    bad: set[int] = set()
    for name, registered in _name_plugins(module, plugins, by_file=session is None).items():
        home = _full_names(module, registered)[0].rpartition("::")[0]
        make = _maker(registered, name, definitions, spaces.get(home, spaces[module]), session)
        if session is not None:
            functions.add(name, make)
            continue
        from sabir.languages.inmanta.evaluate.plugins.signature import BadAnnotation

        try:
            functions.add(name, make())
        except BadAnnotation as error:
            functions.add(name, _refuse(name))
            if id(registered) not in bad:
                bad.add(id(registered))
                yield PLUGIN.at(
                    message=f"the plug-in {registered.name!r} cannot be called: {error}",
                    place=_place_of(registered, functions),
                    hint="every parameter names a type of the language, or a type of Python",
                )
        taken = definitions.implementations.get(name)
        if taken is not None and name == _full_names(module, registered)[0]:
            related = Related(place=_place_of(registered, functions), message="the plug-in")
            yield DUPLICATE.at(
                taken.place,
                f"{name!r} is an implementation and a plug-in",
                hint="give one of them another name",
                related=(related,),
            )


def _name_plugins(module: str, plugins: list[Registered], *, by_file: bool) -> dict[str, Registered]:
    """Return plugins by their full names: of two with the same name the later, and a name in the file's own namespace first."""
    if not by_file:
        return {f"{module}::{registered.name}": registered for registered in plugins}
    named = {_full_names(module, registered)[0]: registered for registered in plugins}
    for registered in plugins:
        for name in _full_names(module, registered)[1:]:
            named.setdefault(name, registered)
    return named


def _full_names(module: str, registered: Registered) -> list[str]:
    package, _, inside = registered.module.partition(".")
    parts = inside.split(".")[1:] if package == "inmanta_plugins" else []
    return full_names(module, parts, registered.name)


def _place_of(registered: Registered, functions: Functions) -> Place:
    code = getattr(registered.function, "__code__", None)
    file = getattr(code, "co_filename", registered.module).removeprefix("<plug-in ").removesuffix(">")
    source = functions.sources.get(file) or Source(file, "")
    line = _line_of_def(source, code.co_firstlineno) if code is not None else 1
    start = source.offset(line)
    return Place(source, Span(start, start + len(source.line_text(line))))


def _line_of_def(source: Source, line: int) -> int:
    """Below the decorators, where a function begins for Python."""
    while source.line_text(line).lstrip().startswith("@"):
        line += 1
    return line


def _maker(
    registered: Registered, name: str, definitions: Definitions, space: Namespace, session: Session | None
) -> Callable[[], Function]:
    def make() -> Function:
        from sabir.languages.inmanta.evaluate.plugins.signature import function_of

        return function_of(registered, name, definitions, space, session)

    return make
