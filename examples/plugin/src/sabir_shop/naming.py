"""A rule of the house: names of files have no spaces."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from sabir.checks import BaseValidator
from sabir.diagnostics import Examples, Finding, Rule

SPACE_IN_NAME = Rule(
    code="SHOP:W001",
    title="file name with a space",
    why="Our deployment scripts split lists of files at spaces. Write a hyphen instead.",
    examples=Examples(
        bad={"shelf.yaml": "books: []\n", "my notes.txt": "x\n"},
        good={"shelf.yaml": "books: []\n", "my-notes.txt": "x\n"},
    ),
    language="shelf",
)


class NamingValidator(BaseValidator):
    """Looks at packages of every language: it names none in `languages`."""

    short_name = "SHOP"
    long_name = "naming"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return (SPACE_IN_NAME,)

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        for name in self.package.list() if files is None else files:
            yield from check_name(name)


def check_name(name: str) -> Iterator[Finding]:
    """A checker: data in, findings out."""
    if " " in name:
        better = name.replace(" ", "-")
        yield Finding.about_file(
            SPACE_IN_NAME.code, f"the name {name!r} has a space", name, hint=f"call it {better!r}"
        )
