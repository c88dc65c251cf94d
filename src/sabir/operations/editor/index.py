"""Definitions and uses of names in a project: read file by file, and again only for files that changed."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sabir.languages.language import Explorer, Explores
from sabir.operations.editor.project import EditorProject
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import FileNames, Mention, Symbol
from sabir.text import Place, Span


class NameDefinition(Struct, frozen=True):
    symbol: Symbol
    file: PackageFile
    package: LoadedPackage
    """The project's, or that of a library."""

    @property
    def place(self) -> Place:
        return Place(self.file.source, self.symbol.span)


class Use(Struct, frozen=True):
    mention: Mention
    file: PackageFile


class NameIndex:
    """The names of a project and of the libraries it builds on. Files are read when a question needs them."""

    def __init__(self, project: EditorProject) -> None:
        self._project = project
        self._names: dict[PackageFile, FileNames] = {}
        self._whole: dict[str, FileNames] = {}
        """Of files by name: the names when they could last be read."""
        self._of_libraries: dict[str, list[NameDefinition]] | None = None
        self._version = -1
        self._by_key: dict[str, dict[str, list[NameDefinition]]] = {}
        self._defining: dict[str, PackageFile] = {}
        self._keys: dict[str, set[str]] = {}
        """By the name of a file, so that what it defined can be taken out again."""

    @property
    def _explorer(self) -> Explorer | None:
        language = self._project.language
        return language.explorer() if isinstance(language, Explores) else None

    def names(self, name: str) -> FileNames:
        """The names of one file of the project, as it is typed now."""
        file = self._project.file(name)
        return FileNames() if file is None else self._names_of(self._project.package, file)

    def _names_of(self, package: LoadedPackage, file: PackageFile) -> FileNames:
        if self._explorer is None:
            return FileNames()
        names = self._names.get(file)
        if names is None:
            names = self._names[file] = self._read(self._explorer.file_names(package, file), file.name)
        return names

    def _read(self, names: FileNames, file: str) -> FileNames:
        """The names of a text. One that is broken while somebody types still defines what it defined before."""
        if names.symbols or file not in self._whole:
            self._whole[file] = names
            return names
        return FileNames(self._whole[file].symbols, names.mentions)

    def _files(self) -> Iterator[PackageFile]:
        package = self._project.package
        for name in package.list():
            file = package.get_file(name)
            if file is not None:
                yield file

    def refresh(self) -> Iterator[None]:
        """Read every file whose names are not known, in small pieces of work, and drop what nobody needs any more."""
        package, current = self._project.package, set[PackageFile]()
        for file in self._files():
            self._names_of(package, file)
            current.add(file)
            yield
        for file in [file for file in self._names if file not in current]:
            del self._names[file]

    # Questions

    def at(self, name: str, offset: int) -> tuple[Span, tuple[str, ...]] | None:
        """The name that stands at an offset, defined or used there: its span, and what it may mean."""
        names = self.names(name)
        for mention in names.mentions:
            if mention.span.start <= offset <= mention.span.end:
                return mention.span, mention.keys
        for symbol in names.all_symbols():
            if symbol.span.start <= offset <= symbol.span.end:
                return symbol.span, (symbol.key,)
        return None

    def definitions(self, keys: tuple[str, ...]) -> list[NameDefinition]:
        """What is defined under the first of the keys that anything is defined under; the project's own before libraries'."""
        ours = self._project_definitions()
        for key in keys:
            definitions = [*ours.get(key, {}).values()] or [self._library_definitions().get(key, [])]
            if any(definitions):
                return [definition for of_file in definitions for definition in of_file]
        return []

    def _project_definitions(self) -> dict[str, dict[str, list[NameDefinition]]]:
        """Everything that the project defines, by key and file. After a change only the files that changed are looked at."""
        if self._version != self._project.version:
            self._version = self._project.version
            package, current = self._project.package, {file.name: file for file in self._files()}
            for name, file in [*self._defining.items()]:
                if current.get(name) is not file:
                    del self._defining[name]
                    for key in self._keys.pop(name):
                        self._by_key[key].pop(name, None)
            for name, file in current.items():
                if name not in self._defining:
                    self._add(name, file, package)
        return self._by_key

    def _add(self, name: str, file: PackageFile, package: LoadedPackage) -> None:
        self._defining[name] = file
        keys = self._keys[name] = set[str]()
        for symbol in self._names_of(package, file).all_symbols():
            for key in (symbol.key, *symbol.aliases):
                keys.add(key)
                self._by_key.setdefault(key, {}).setdefault(name, []).append(
                    NameDefinition(symbol, file, package)
                )

    def uses(self, key: str) -> Iterator[Use]:
        """Every mention that may mean what has this key."""
        package = self._project.package
        for file in self._files():
            for mention in self._names_of(package, file).mentions:
                if key in mention.keys:
                    yield Use(mention, file)

    def find_by_prefix(self, beginnings: tuple[str, ...]) -> Iterator[NameDefinition]:
        """Everything whose key begins like this, the project's own first."""
        for definition in self.project_definitions():
            if definition.symbol.key.startswith(beginnings):
                yield definition
        for key, definitions in self._library_definitions().items():
            if key.startswith(beginnings):
                yield from definitions

    def project_definitions(self) -> Iterator[NameDefinition]:
        package = self._project.package
        for file in self._files():
            for symbol in self._names_of(package, file).all_symbols():
                yield NameDefinition(symbol, file, package)

    def _library_definitions(self) -> dict[str, list[NameDefinition]]:
        if self._of_libraries is None:
            self._of_libraries = {}
            for library in self._explorer.libraries(self._project.package) if self._explorer else ():
                for definition in self._list_library_definitions(library):
                    for key in (definition.symbol.key, *definition.symbol.aliases):
                        self._of_libraries.setdefault(key, []).append(definition)
        return self._of_libraries

    def _list_library_definitions(self, library: LoadedPackage) -> Iterator[NameDefinition]:
        for name in library.list():
            file = library.get_file(name)
            if file is not None and self._explorer is not None:
                for symbol in self._explorer.file_names(library, file).all_symbols():
                    yield NameDefinition(symbol, file, library)
