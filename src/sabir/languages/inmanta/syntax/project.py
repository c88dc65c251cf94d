"""A project: its main file, the modules it imports, and all their namespaces."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.diagnostics.suggestions import did_you_mean, join_names
from sabir.languages.inmanta.syntax.cache import parse_cached
from sabir.languages.inmanta.syntax.examples import inmanta_rule
from sabir.languages.inmanta.syntax.modules import (
    DirectoryTree,
    FileTree,
    Module,
    ModuleFault,
    ModuleFinder,
    PackageTree,
)
from sabir.languages.inmanta.syntax.nodes import Import, Relation, TopStatement, place_of
from sabir.languages.inmanta.syntax.parser import rewrite_relation
from sabir.languages.inmanta.syntax.stream import SYNTAX
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.text import Place, Source, Span

UNKNOWN_MODULE: Final = inmanta_rule(
    "INM:E002",
    "a module cannot be loaded",
    "An imported module has to be on the module path (`modulepath` in project.yml), with module.yml and "
    "model/_init.cf. Check the name, or add the missing file.",
)
DUPLICATE: Final = inmanta_rule(
    "INM:E004",
    "something is defined twice",
    "A name has one meaning in its scope: types and variables share their names, and an inherited attribute or "
    "relation cannot be overridden. A dict has each key once.",
)
SLASH_COMMENT: Final = inmanta_rule(
    "INM:W001",
    "a comment that begins with //",
    "Newer releases of the language refuse it; `#` begins a comment everywhere.",
    fixable=True,
)
OLD_RELATION: Final = inmanta_rule(
    "INM:W002",
    "a relation in the old form",
    "Newer releases of the language refuse it. The fix writes the same relation in today's form.",
    fixable=True,
)
OUTSIDE_PATH: Final = inmanta_rule(
    "INM:W003",
    "the module path leads out of the project",
    "Only what belongs to the project is read because its files say so. Name other directories on the command line.",
)

MAIN = "__config__"
"""The namespace of `main.cf`, by the name users know from error messages of the existing engine."""


class Namespace(Struct, eq=False):
    """One file: its statements and its imports (name or alias to namespace)."""

    name: str
    source: Source
    statements: tuple[TopStatement, ...]
    module: Module | None
    imports: dict[str, str] = {}

    def place(self, start: int, end: int) -> Place:
        return Place(self.source, Span(start, end))


class InmantaProject(Struct, eq=False):
    """A loaded project: namespaces and modules by name, with the findings so far."""

    namespaces: dict[str, Namespace]
    modules: dict[str, Module]
    findings: list[Finding]
    finder: ModuleFinder
    purge_on_delete: bool = False
    """project.yml: what leaves the model is purged where it says so itself; otherwise it is left as it is."""


def load_project(
    package: LoadedPackage,
    search_path: tuple[Path, ...] = (),
    *,
    cache: Path | None = None,
    std_installed: bool = False,
) -> InmantaProject:
    """Read `main.cf`, or the module that the package is, and everything it imports.

    Trees of large files are stored in `cache`. With `std_installed` the module `std` is found like any
    other, and the bundled one is ignored.
    """
    return _Loader(package, search_path, cache, std_installed=std_installed).load()


class _Loader:
    def __init__(
        self,
        package: LoadedPackage,
        search_path: tuple[Path, ...],
        cache: Path | None,
        *,
        std_installed: bool,
    ) -> None:
        self.package = package
        self.findings: list[Finding] = []
        self.namespaces: dict[str, Namespace] = {}
        self.modules: dict[str, Module] = {}
        self.cache = cache
        config = package.get_file("project.yml")
        self._config = config
        settings: Any = config.parsed() if config is not None else None
        self._settings: dict[str, Any] = settings if isinstance(settings, dict) else {}
        own_module = _own_module(package)
        trees: list[FileTree] = [
            *self._module_path(),
            *(DirectoryTree(folder, str(folder)) for folder in search_path),
        ]
        if own_module:
            trees.append(PackageTree(package, ""))
        self.own_module = own_module
        self.finder = ModuleFinder(
            trees,
            {own_module: PackageTree(package)} if own_module else {},
            foreign=("std",) if std_installed else (),
        )

    def load(self) -> InmantaProject:
        main = self._main()
        self._import("std", None)
        if main is not None:
            self._namespace(MAIN, main, None)
        elif self.own_module:
            text = f"import {self.own_module}\n"
            source = Source("<main>", text)
            from sabir.languages.inmanta.syntax.parser import parse

            self._add(Namespace(MAIN, source, parse(source).statements, None))
        return InmantaProject(
            self.namespaces,
            self.modules,
            self.findings,
            self.finder,
            purge_on_delete=self._settings.get("purge_on_delete") is True,
        )

    def _main(self) -> PackageFile | None:
        main = self.package.get_file("main.cf")
        if main is not None:
            return main
        models = [name for name in self.package.list() if name.endswith(".cf")]
        if self.package.single_file and models:
            return self.package.get_file(models[0])
        if self.own_module:
            return None
        top = [name for name in models if "/" not in name]
        if len(top) == 1:
            return self.package.get_file(top[0])
        self.findings.append(
            UNKNOWN_MODULE.about_file(
                "main.cf",
                "the project has no main.cf, where evaluation begins",
                hint="write main.cf, or give the .cf file to read",
            )
        )
        return None

    def _module_path(self) -> list[FileTree]:
        written = self._settings.get("modulepath", ["libs"])
        paths = written if isinstance(written, list) else [written]
        trees: list[FileTree] = []
        for path in paths:
            inside = posixpath.normpath(str(path))
            if inside.startswith(("/", "..")):
                assert self._config is not None
                self.findings.append(
                    OUTSIDE_PATH.about_file(
                        self._config.source,
                        f"the module path {path!r} leads out of the project and is not followed",
                        hint="name the directory on the command line to have it searched",
                    )
                )
            else:
                trees.append(PackageTree(self.package, "" if inside == "." else inside))
        return trees

    def _add(self, namespace: Namespace) -> None:
        self.namespaces[namespace.name] = namespace
        if namespace.name != "std":
            namespace.imports["std"] = "std"
        namespace.imports[namespace.name] = namespace.name
        for statement in namespace.statements:
            if isinstance(statement, Import):
                place = place_of(namespace.source, statement)
                self._import(statement.name, place)
                bound = namespace.imports.setdefault(statement.alias or statement.name, statement.name)
                if bound != statement.name:
                    self.findings.append(
                        DUPLICATE.at(
                            message=f"{statement.alias!r} already stands for the namespace {bound!r} here",
                            place=place,
                            hint="choose another alias",
                        )
                    )

    def _namespace(self, name: str, file: PackageFile, module: Module | None) -> None:
        source = file.source
        if file.defect is not None:
            self.findings.append(SYNTAX.at(file.defect.place, file.defect.message))
            return
        if name == "std" and module is not None and not module.ours:
            source = _with_built_in(source)
        tree = parse_cached(source, self.cache)
        self.findings += tree.problems
        self._deprecations(source, tree.statements, tree.slash_comments)
        self._add(Namespace(name, source, tree.statements, module))

    def _deprecations(
        self, source: Source, statements: tuple[TopStatement, ...], comments: tuple[tuple[int, int], ...]
    ) -> None:
        for start, end in comments:
            place = Place(source, Span(start, start + 2))
            fix = Fix(title="write # for //", edits=(Edit(place=place, text="#"),))
            self.findings.append(
                SLASH_COMMENT.at(
                    message="a comment that begins with // is deprecated",
                    place=Place(source, Span(start, end)),
                    hint="write # for //",
                    fix=fix,
                )
            )
        for statement in statements:
            if isinstance(statement, Relation) and statement.deprecated:
                today = rewrite_relation(statement)
                place = place_of(source, statement)
                self.findings.append(
                    OLD_RELATION.at(
                        message="this form of a relation is deprecated",
                        place=place,
                        hint=f"write {today}",
                        fix=Fix(title=f"write {today}", edits=(Edit(place=place, text=today),)),
                    )
                )

    def _import(self, name: str, place: Place | None) -> None:
        """Load a namespace and those around it."""
        parts = name.split("::")
        module = self.finder.find(parts[0])
        if isinstance(module, ModuleFault):
            self._missing(
                module.message,
                place,
                module.hint or did_you_mean(parts[0], self.finder.importable()) or _install_hint(parts[0]),
            )
            return
        self.modules[module.name] = module
        for count in range(1, len(parts) + 1):
            namespace = "::".join(parts[:count])
            if namespace in self.namespaces:
                continue
            file = module.namespace_file(namespace)
            if file is not None:
                self._namespace(namespace, file, module)
            elif count == len(parts):
                namespaces = module.namespaces()
                hint = (
                    did_you_mean(namespace, namespaces)
                    or f"module {module.name} has: {join_names(namespaces)}"
                )
                self._missing(f"module {module.name!r} has no namespace {namespace!r}", place, hint)

    def _missing(self, message: str, place: Place | None, hint: str | None) -> None:
        if place is None:  # std, which needs no import
            self.findings.append(
                UNKNOWN_MODULE.about_file(
                    "main.cf", message, hint="install inmanta-module-std, or leave out --std installed"
                )
            )
            return
        self.findings.append(UNKNOWN_MODULE.at(message=message, place=place, hint=hint))


_BUILT_IN: Final = "\nentity Entity:\nend\nEntity.requires [0:] -- Entity.provides [0:]\n"
"""What the existing engine has of its own in the namespace of `std`; ours says it itself."""


def _with_built_in(source: Source) -> Source:
    """Return an installed `std` with its built-in definitions appended, so that its locations stay valid."""
    return Source(source.name, source.text + _BUILT_IN)


def _install_hint(name: str) -> str:
    return f"put it on the module path (`modulepath` in project.yml), or install it: pip install inmanta-module-{name}"


def _own_module(package: LoadedPackage) -> str | None:
    """Return the name of the module that the package is, or None for a project."""
    if package.exists("main.cf") or package.exists("project.yml") or not package.exists("model/_init.cf"):
        return None
    manifest = package.get_file("module.yml") or package.get_file("module.yaml")
    if manifest is not None:
        data = manifest.parsed()
        name = data.get("name") if isinstance(data, dict) else None
        return name if isinstance(name, str) and name else package.name
    for path in package.list("inmanta_plugins"):
        return path.split("/")[1]
    setup = package.get_file("setup.cfg") or package.get_file("pyproject.toml")
    if setup is not None:
        for line in setup.source.text.splitlines():
            key, _, value = line.partition("=")
            if key.strip() == "name":
                return value.strip().strip("\"'").removeprefix("inmanta-module-").replace("-", "_")
    return None
