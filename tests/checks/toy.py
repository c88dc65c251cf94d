"""A toy language for tests of what is no language's business: folders with a `toy.yaml`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import ClassVar

import pytest

from sabir.checks.form import FormValidator
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Edit, Finding, Fix, RelatedLocation
from sabir.diagnostics.rules import Examples, Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.graph import Graph
from sabir.languages.language import Evaluation, EvaluationRequest, Renderer
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import YamlMapping, YamlScalar
from sabir.text import Place
from tests.support.plugin_path import install

__all__ = ["ENTRY_POINT", "LANGUAGE", "ToyValidator", "toy_package"]

ENTRY_POINT = "[sabir.languages]\ntoy = tests.checks.toy:LANGUAGE\n"
KEYS = ("name", "port", "crash")


class ToyValidator(BaseValidator):
    """Keys of `toy.yaml`: unknown ones are errors, a port that is a text is a warning with a fix."""

    short_name: ClassVar[str] = "TOY"
    long_name: ClassVar[str] = "keys"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return CODES

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        if files is not None and "toy.yaml" not in files:
            return
        file = self.package.get_file("toy.yaml")
        document = file.yaml.documents[0] if file is not None and file.yaml.documents else None
        if file is None or not isinstance(document, YamlMapping):
            return
        for entry in document.entries:
            if isinstance(entry.key, YamlScalar):
                yield from check_key(entry.key, Place(file.source, document.span))
                if entry.key.value == "port" and isinstance(entry.value, YamlScalar):
                    yield from check_port(entry.value, Place(file.source, entry.value.span))
                if entry.key.value == "crash":
                    raise RuntimeError("the toy broke")


def check_key(key: YamlScalar, mapping: Place) -> Iterator[Finding]:
    if key.value not in KEYS:
        yield Finding(
            code="TOY:E001",
            message=f"unknown key {key.text!r}",
            place=Place(mapping.source, key.span),
            hint=did_you_mean(key.text, KEYS),
            related=(RelatedLocation(place=mapping, message="in this mapping"),),
        )
    elif key.value == "name":
        yield Finding(code="TOY:W003", message="pedantic", place=Place(mapping.source, key.span))


def check_port(value: YamlScalar, place: Place) -> Iterator[Finding]:
    if isinstance(value.value, str):
        yield Finding(
            code="TOY:W002",
            message=f"port {value.text!r} is a text",
            place=place,
            fix=Fix(title="write it as a number", edits=(Edit(place=place, text=value.text),)),
        )


def _code(code: str, title: str, bad: str, good: str, *, off: bool = False, fix: bool = False) -> Rule:
    return Rule(
        code=code,
        title=title,
        why="Because toys are toys.",
        examples=Examples({"toy.yaml": bad}, {"toy.yaml": good}),
        off_by_default=off,
        fixable=fix,
    )


CODES = (
    _code("TOY:E001", "unknown key", "prt: 1\n", "port: 1\n"),
    _code("TOY:W002", "port is a text", "port: '80'\n", "port: 80\n", fix=True),
    _code("TOY:W003", "pedantic", "name: x\n", "port: 1\n", off=True),
)


class Toy:
    name = "toy"
    evaluates_when_checked = False

    def recognises(self, package: LoadedPackage) -> bool:
        return package.exists("toy.yaml")

    def rules(self) -> Sequence[Rule]:
        return CODES

    def validators(self) -> Sequence[type[BaseValidator]]:
        return (FormValidator, ToyValidator)

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        return Evaluation(graph=Graph([]))

    def renderers(self) -> Mapping[str, Renderer]:
        return {}


LANGUAGE = Toy()

BAD = """\
prt: 80  # a slip
port: '80'
name: web
name: db
"""


def toy_package(folder: Path, text: str = BAD, **more: str) -> Path:
    """A toy package on the disk."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "toy.yaml").write_text(text, encoding="utf-8")
    for name, content in more.items():
        (folder / name.replace("__", ".")).write_text(content, encoding="utf-8")
    return folder


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory) -> None:
    """The toy language is installed."""
    install(monkeypatch, tmp_path_factory.mktemp("site"), ENTRY_POINT)
