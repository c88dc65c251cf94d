"""A language of one file: `shelf.yaml` lists books by shelf, and each becomes an instance of the graph.

    novels: [Emma, Dracula]
    poems: [Howl]

A language is the object that the entry point names. The module is imported to ask whether a package is of this language, so
it imports what it needs for more only when it is asked for more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from sabir.checks import BaseValidator, yaml_findings
from sabir.diagnostics import Examples, Finding, Rule
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import YamlMapping, YamlScalar, YamlSequence
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.language import Evaluation, EvaluationRequest, Renderer

FILE = "shelf.yaml"

NO_LIST = Rule(
    code="SHELF:E001",
    title="a shelf is no list of books",
    why="Books stand on a shelf one after the other; write them as a list, even when there is one only.",
    examples=Examples(bad={FILE: "novels: Emma\n"}, good={FILE: "novels: [Emma]\n"}),
)


class ShelfValidator(BaseValidator):
    short_name = "SHELF"
    long_name = "shelf"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return (NO_LIST,)

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        file = self.package.get_file(FILE)
        if file is None or (files is not None and FILE not in files):
            return
        yield from yaml_findings(file)
        document = file.yaml.documents[0] if file.yaml.documents else None
        for entry in document.entries if isinstance(document, YamlMapping) else ():
            if not isinstance(entry.value, YamlSequence) and isinstance(entry.key, YamlScalar):
                yield Finding(
                    code=NO_LIST.code,
                    message=f"shelf {entry.key.text!r} is no list of books",
                    place=Place(file.source, entry.value.span),
                    hint="write the book between [ and ]",
                )


def _books(package: LoadedPackage) -> Iterator[tuple[str, YamlScalar, Place]]:
    """Every book with its shelf and its place; what is written wrong is left to the validator."""
    file = package.get_file(FILE)
    document = file.yaml.documents[0] if file is not None and file.yaml.documents else None
    if file is None or not isinstance(document, YamlMapping):
        return
    for entry in document.entries:
        if isinstance(entry.key, YamlScalar) and isinstance(entry.value, YamlSequence):
            for book in entry.value.items:
                if isinstance(book, YamlScalar):
                    yield entry.key.text, book, Place(file.source, book.span)


class Shelf:
    name = "shelf"
    evaluates_when_checked = False

    def recognises(self, package: LoadedPackage) -> bool:
        return package.exists(FILE)

    def rules(self) -> Sequence[Rule]:
        return ShelfValidator.rules()

    def validators(self) -> Sequence[type[BaseValidator]]:
        return (ShelfValidator,)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        from sabir.graph import Graph, How, Instance, Origin, Record
        from sabir.languages.language import Evaluation

        books = [
            Instance(
                id=f"{shelf}/{book.text}",
                type="Book",
                language=self.name,
                name=book.text,
                attributes=Record.of({"shelf": shelf}),
                origin=Origin(place, How.LITERAL),
            )
            for shelf, book, place in _books(package)
        ]
        return Evaluation(graph=Graph(books), findings=tuple(ShelfValidator(package).run()))

    def renderers(self) -> Mapping[str, Renderer]:
        return {}


LANGUAGE = Shelf()
