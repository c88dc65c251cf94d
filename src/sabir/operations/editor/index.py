"""Index of definitions and uses of names in a project. Only changed files are read again."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sabir.languages.language import Explorer, Explores
from sabir.operations.editor.project import EditorProject
from sabir.source.packages import LoadedPackage, PackageFile
from sabir.source.symbols import FileNames, Mention, Symbol
from sabir.text import Place, Span


class NameDefinition(Struct, frozen=True):
    """A definition in a file of the project or of a library."""

    symbol: Symbol
    file: PackageFile
    package: LoadedPackage
    """The package of the project or of a library."""

    @property
    def place(self) -> Place:
        return Place(self.file.source, self.symbol.span)


class Use(Struct, frozen=True):
    """A mention of a name in a file of the project."""

    mention: Mention
    file: PackageFile


class NameIndex:
    """The names of a project and its libraries. Files are read when a query needs them."""

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
        """Return the names in one file of the project, from its current text."""
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
        """Return the names in a text. A text that is invalid while being edited keeps its earlier
        definitions.
        """
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
        """Read every file that is not indexed, in small pieces of work, and drop files that no longer
        exist.
        """
        package, current = self._project.package, set[PackageFile]()
        for file in self._files():
            self._names_of(package, file)
            current.add(file)
            yield
        for file in [file for file in self._names if file not in current]:
            del self._names[file]

    # Questions

    def at(self, name: str, offset: int) -> tuple[Span, tuple[str, ...]] | None:
        """Return the name at an offset: its span, and the index keys it may refer to."""
        names = self.names(name)
        for mention in names.mentions:
            if mention.span.start <= offset <= mention.span.end:
                return mention.span, mention.keys
        for symbol in names.all_symbols():
            if symbol.span.start <= offset <= symbol.span.end:
                return symbol.span, (symbol.key,)
        return None

    def definitions(self, keys: tuple[str, ...]) -> list[NameDefinition]:
        """Return the definitions of the first key that has any; those of the project come before those of
        libraries.
        """
        ours = self._project_definitions()
        for key in keys:
            definitions = [*ours.get(key, {}).values()] or [self._library_definitions().get(key, [])]
            if any(definitions):
                return [definition for of_file in definitions for definition in of_file]
        return []

    def _project_definitions(self) -> dict[str, dict[str, list[NameDefinition]]]:
        """Return the definitions of the project by key and file. After a change only changed files are
        read.
        """
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
        """Yield every mention that may refer to this key."""
        package = self._project.package
        for file in self._files():
            for mention in self._names_of(package, file).mentions:
                if key in mention.keys:
                    yield Use(mention, file)

    def find_by_prefix(self, beginnings: tuple[str, ...]) -> Iterator[NameDefinition]:
        """Yield the definitions whose key starts with one of the prefixes, those of the project first."""
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
