"""Loads the plugins of all modules of a project, or only their names if they may not run.

Plugins may be written for a newer Python than the running one. The line of the syntax error tells which
version is needed. For common modules (`fs`, `files`, `apt`, `exec`) a table has the resource classes
for the case that their Python may not run. Names and ids are those of the modules, so that a resource
has the same record whether its handler or sabir manages it.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from typing import Any, ClassVar, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.reasons import error_text
from sabir.languages.inmanta.evaluate.calls import PLUGIN
from sabir.languages.inmanta.evaluate.functions import Functions, PluginFunction
from sabir.languages.inmanta.evaluate.plugins.api import RegisteredPlugin, RegisteredResource, Registry
from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.engine.resources import PurgeableResource
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.functions import file_namespace, full_names, plugin_files, read_module
from sabir.languages.inmanta.syntax.modules import Module
from sabir.languages.inmanta.syntax.project import DUPLICATE, Namespace
from sabir.session import Session
from sabir.text import Place, Source, Span


class _Syntax(Struct, frozen=True, kw_only=True):
    """A syntax that older versions of Python cannot parse."""

    name: str
    since: tuple[int, int]
    line: re.Pattern[str]
    message: str = ""
    """What the error begins with, where the line alone does not tell."""


_DEFINED: Final = r"\s*(?:(?:async\s+)?def|class|type)\s+\w+"
_FIELD: Final = r"""\b(?:[fF][rR]?|[rR][fF])(["'])(?:(?!\1).)*\{"""
"""An f-string up to the beginning of one of its fields."""

_SYNTAXES: Final = (
    _Syntax(name="a t-string", since=(3, 14), line=re.compile(r""".*(?<!\w)(?:[tT][rR]?|[rR][tT])["']""")),
    _Syntax(
        name="a default of a type parameter",
        since=(3, 13),
        line=re.compile(_DEFINED + r"\[[^=\]]*\w\s*=[^=]"),
    ),
    _Syntax(name="a type parameter", since=(3, 12), line=re.compile(_DEFINED + r"\[")),
    _Syntax(name="a 'type' statement", since=(3, 12), line=re.compile(r"\s*type\s+\w+\s*=")),
    _Syntax(
        name="an f-string with a backslash or a comment inside of { }",
        since=(3, 12),
        line=re.compile(""),
        message="f-string expression part cannot include",
    ),
    _Syntax(
        name="an f-string with its own quotes inside of { }",
        since=(3, 12),
        line=re.compile(r".*?" + _FIELD + r"[^}\n]*?\1[^\n]*?\}[^\n]*?\1"),
        message="f-string: ",
    ),
    _Syntax(
        name="an f-string with a { } of several lines",
        since=(3, 12),
        line=re.compile(r".*?" + _FIELD + r"(?:[^}]*[\[({,])?$"),
        message="unterminated string literal",
    ),
)
_LONGEST: Final = 300
"""Of a longer line only the beginning is looked at, for the patterns take cubic time on a hostile one."""


def newer_python(error: BaseException, line: str) -> str | None:
    """Return a hint for a line that this Python cannot parse but a newer one can."""
    if not isinstance(error, SyntaxError):
        return None
    here = sys.version_info[:2]
    for syntax in _SYNTAXES:
        if (
            here < syntax.since
            and error.msg.startswith(syntax.message)
            and syntax.line.match(line[:_LONGEST].rstrip())
        ):
            since, running = ("{}.{}".format(*version) for version in (syntax.since, here))
            return (
                f"{syntax.name} is written for Python {since} or newer, and this is Python {running}: "
                f"install sabir and the module in an environment of Python {since}, and run it there"
            )
    return None


class _File(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "group", "permissions")

    @staticmethod
    def get_permissions(_: Any, obj: Any) -> int | None:
        mode: int | None = obj.mode
        return mode


class _Symlink(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("src", "dst")


class _PlainFile(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "group", "permissions")


class _PlainSymlink(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "target")


class _Package(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("name",)


class _Run(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = (
        "command",
        "creates",
        "cwd",
        "environment",
        "onlyif",
        "path",
        "reload",
        "reload_only",
        "returns",
        "timeout",
        "unless",
        "skip_on_fail",
    )


_CLASSES: Final[tuple[tuple[str, str, type], ...]] = (
    ("fs::File", "path", _File),
    ("fs::Directory", "path", _File),
    ("fs::Symlink", "dst", _Symlink),
    ("files::TextFile", "path", _PlainFile),
    ("files::Directory", "path", _PlainFile),
    ("files::Symlink", "path", _PlainSymlink),
    ("apt::Package", "name", _Package),
    ("exec::Run", "command", _Run),
)


def resources_of_module(module: str) -> Iterator[RegisteredResource]:
    """Return the stand-ins for the resource classes of a module."""
    for entity, attribute, cls in _CLASSES:
        if entity.partition("::")[0] == module:
            # Each entity has a class of its own, as an instance is exported once for each class.
            own = type(cls.__name__, (cls,), {})
            yield RegisteredResource(entity, "host.name", attribute, own)


def load_functions(
    definitions: Definitions, python: ProjectPython, *, run: bool
) -> tuple[Functions, list[Finding]]:
    """Return every function a model can call. Without `run`, third-party plugins are known by name only."""
    functions = Functions(python.sources, python.registry)
    findings: list[Finding] = []
    plugins: dict[str, list[RegisteredPlugin]] = {}
    for module in python.modules.values():
        if module.ours:
            plugins[module.name] = _register_ours(module, python).plugins
        elif run:
            before = len(python.registry.plugins)
            finding = _import_plugins(module)
            if finding is not None:
                findings.append(finding)
            for registered in python.registry.plugins[before:]:
                home = _find_module_name(registered, module)
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
        findings += _add_plugins(name, registered_plugins, definitions, functions, session)
    return functions, findings


def load_resources(python: ProjectPython) -> list[Finding]:
    """Load resource classes, handlers and references, for running handlers.

    An import that fails is a finding.
    """
    findings: list[Finding] = []
    for module in python.modules.values():
        if module.ours:
            _register_ours(module, python)
        elif python.session.trust.python:
            finding = _import_plugins(module)
            findings += [] if finding is None else [finding]
        else:
            python.registry.resources += resources_of_module(module.name)
    return findings


def _register_ours(module: Module, python: ProjectPython) -> Registry:
    ours = _load_bundled_registry(module)
    python.registry.resources += ours.resources
    python.registry.references.references |= ours.references.references
    return ours


def _find_module_name(registered: RegisteredPlugin, importing: Module) -> str:
    """Return the module that contains a function: plugins of one module may import those of another."""
    package, _, inside = registered.module.partition(".")
    return inside.partition(".")[0] if package == "inmanta_plugins" else importing.name


def _refuse(name: str) -> PluginFunction:
    """Return a function of which only the name is known, and which cannot be called."""
    return PluginFunction(name, _reject_call, refused=True)


def _reject_call(*_: Any) -> Any:
    raise AssertionError("a refused plug-in was called")


def _load_bundled_registry(module: Module) -> Registry:
    library = import_module(f"sabir.languages.inmanta.library.{module.name}.plugins")
    registry: Registry = library.REGISTRY
    return registry


def _import_plugins(module: Module) -> Finding | None:
    """Import the Python files of a module, which register their plugins and resource classes."""
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
    said = (
        error.msg if isinstance(error, SyntaxError) else error_text(error)
    )  # the place is that of the finding
    missing = getattr(error, "name", None) if isinstance(error, ModuleNotFoundError) else None
    return PLUGIN.at(
        message=f"the plug-ins of module {module.name!r} cannot be loaded: {type(error).__name__}: {said}",
        place=Place(source, Span(start, start + len(source.line_text(line)))),
        hint=f"install the Python package that provides {missing!r}"
        if missing
        else newer_python(error, source.line_text(line)),
    )


def _add_plugins(
    module: str,
    plugins: list[RegisteredPlugin],
    definitions: Definitions,
    functions: Functions,
    session: Session | None,
) -> Iterator[Finding]:
    """Add the registered plugins. Bundled ones are inspected on first use, third-party ones at once.

    The declarations of third-party plugins may be wrong, and that must be reported.
    """
    spaces = definitions.project.namespaces
    if module not in spaces:
        return
    bad: set[int] = set()
    for name, registered in _name_plugins(module, plugins, by_file=session is None).items():
        home = _full_names(module, registered)[0].rpartition("::")[0]
        make = _function_maker(registered, name, definitions, spaces.get(home, spaces[module]), session)
        if session is not None:
            functions.add(name, make)
            continue
        from sabir.languages.inmanta.evaluate.plugins.signature import AnnotationError

        try:
            functions.add(name, make())
        except AnnotationError as error:
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
            related = RelatedLocation(place=_place_of(registered, functions), message="the plug-in")
            yield DUPLICATE.at(
                taken.place,
                f"{name!r} is an implementation and a plug-in",
                hint="give one of them another name",
                related=(related,),
            )


def _name_plugins(
    module: str, plugins: list[RegisteredPlugin], *, by_file: bool
) -> dict[str, RegisteredPlugin]:
    """Return plugins by full name.

    Of two with the same name the later wins, and a name in the file's own namespace goes first.
    """
    if not by_file:
        return {f"{module}::{registered.name}": registered for registered in plugins}
    named = {_full_names(module, registered)[0]: registered for registered in plugins}
    for registered in plugins:
        for name in _full_names(module, registered)[1:]:
            named.setdefault(name, registered)
    return named


def _full_names(module: str, registered: RegisteredPlugin) -> list[str]:
    package, _, inside = registered.module.partition(".")
    parts = inside.split(".")[1:] if package == "inmanta_plugins" else []
    return full_names(module, parts, registered.name)


def _place_of(registered: RegisteredPlugin, functions: Functions) -> Place:
    code = getattr(registered.function, "__code__", None)
    file = getattr(code, "co_filename", registered.module).removeprefix("<plug-in ").removesuffix(">")
    source = functions.sources.get(file) or Source(file, "")
    line = _line_of_def(source, code.co_firstlineno) if code is not None else 1
    start = source.offset(line)
    return Place(source, Span(start, start + len(source.line_text(line))))


def _line_of_def(source: Source, line: int) -> int:
    """Return the line of `def`, below the decorators where Python says a function begins."""
    while source.line_text(line).lstrip().startswith("@"):
        line += 1
    return line


def _function_maker(
    registered: RegisteredPlugin,
    name: str,
    definitions: Definitions,
    space: Namespace,
    session: Session | None,
) -> Callable[[], PluginFunction]:
    def make() -> PluginFunction:
        from sabir.languages.inmanta.evaluate.plugins.signature import function_of

        return function_of(registered, name, definitions, space, session)

    return make
