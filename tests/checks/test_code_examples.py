"""Every code has its documentation, and its examples are run: the wrong one is reported, the right one is not."""

from __future__ import annotations

import io
import textwrap
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sabir.checks import Application, BaseValidator, FormValidator
from sabir.checks.application import general_rules
from sabir.deployments.placement import place_resources, report_target_problems, report_unread_resource
from sabir.deployments.targets import Targets, default_target
from sabir.diagnostics import Finding, Rule
from sabir.diagnostics.rules import Example
from sabir.errors import UsageError
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.operations.packages import load_languages
from sabir.resources.outcome import ResourceReading
from sabir.resources.target import Target
from sabir.session import Session, Trust
from sabir.source.packages import LoadedPackage, MemoryPackage, ZipLoader, load_package
from tests.support.plugin_path import install

LANGUAGES = load_languages().by_name
OWN = {code.code for code in general_rules()}
LANGUAGE_CODES = [
    (language, code) for language in LANGUAGES.values() for code in language.rules() if code.code not in OWN
]


@pytest.mark.rows("V-037")
@pytest.mark.parametrize(
    "code", [*general_rules(), *(code for _, code in LANGUAGE_CODES)], ids=lambda code: code.code
)
def test_every_code_is_documented(code: Rule) -> None:
    assert not code.title.endswith(".")
    assert len(code.why) > 30
    assert code.bad != code.good
    assert code.bad
    assert code.good


def zipped(example: Example) -> LoadedPackage:
    """The example as an archive, whose names are written as they are."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for name, text in example.items():
            archive.writestr(name, text.encode("utf-8", "surrogateescape"))
    package = ZipLoader.from_bytes(buffer.getvalue())
    assert package is not None
    return package


def general_findings(code: Rule, example: Example) -> Iterable[Finding]:
    options = {"extend-select": code.code}
    if "validator.py" in example:
        return Application(options).run(MemoryPackage(example), [sample_validator(example["validator.py"])])
    return Application(options).run(zipped(example), [FormValidator])


def sample_validator(source: str) -> type[BaseValidator]:
    names: dict[str, Any] = {}
    exec(source, names)  # noqa: S102  our own documentation

    class Sample(BaseValidator):
        short_name = "SAMPLE"

        def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
            file = self.package.get_file("example.yaml")
            assert file is not None
            for message in names["check"](file.parsed()):
                yield Finding.about_file("SAMPLE:E001", str(message), file.name)

    return Sample


@pytest.mark.parametrize(
    "code",
    [code for code in general_rules() if code.code not in {"W903", "E901", "E910", "E920", "E921"}],
    ids=lambda code: code.code,
)
def test_general_examples(code: Rule) -> None:
    assert code.code in [finding.code for finding in general_findings(code, code.bad)]
    assert code.code not in [finding.code for finding in general_findings(code, code.good)]


def test_the_example_of_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("example.yaml", "name: web\n")
    raw = bytearray(buffer.getvalue())
    raw[raw.index(b"PK\x01\x02") + 8] |= 1  # encrypted, says the table of contents
    package = ZipLoader.from_bytes(bytes(raw))
    assert package is not None
    assert [finding.code for finding in Application().run(package, [FormValidator])] == ["E901"]


def test_the_example_of_a_plug_in(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    (code,) = (code for code in general_rules() if code.code == "W903")
    for example, expected in ((code.bad, ["W903"]), (code.good, [])):
        with monkeypatch.context() as patch:
            install(patch, tmp_path / str(len(expected)), example["entry_points.txt"])
            application = Application()
            application.load_plugins()
            assert [finding.code for finding in application.plugin_findings()] == expected


def _rendered(language: Any, package: MemoryPackage) -> Iterator[Finding]:
    """What all renderers say; one for things that an example does not have refuses it."""
    for renderer in language.renderers().values():
        with suppress(UsageError):
            yield from renderer(package, EvaluationRequest(), RenderRequest()).findings


def _in_folder(files: Mapping[str, str], folder: Path) -> LoadedPackage:
    """What is carried out elsewhere is taken from a folder."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return load_package(folder)


@pytest.mark.parametrize(
    ("language", "code"),
    LANGUAGE_CODES,
    ids=[f"{language.name}-{code.code}" for language, code in LANGUAGE_CODES],
)
def test_examples_of_the_languages(language: Any, code: Rule, tmp_path: Path) -> None:
    spoken = LANGUAGES[code.language] if code.language else language
    for example, expected in ((code.bad, True), (code.good, False)):
        package = MemoryPackage(example)
        found: Iterable[Finding]
        if code.when == "evaluate":
            session = Session(trust=Trust.of(code.trust))
            found = spoken.evaluate(package, EvaluationRequest(session=session)).findings
        elif code.when == "plan":
            evaluation = spoken.evaluate(_in_folder(example, tmp_path), EvaluationRequest())
            targets = Targets([default_target("world")])
            wanted = evaluation.wanted()
            placing = place_resources(wanted, targets, Trust())
            found = (*wanted.findings, *wanted.idle, *placing.findings)
        elif code.when == "look":
            wanted = spoken.evaluate(package, EvaluationRequest()).wanted()
            targets = Targets([default_target("world"), Target(name="cloud", driver="openstack-heat")])
            placed = place_resources(wanted, targets, Trust()).by_address
            # What a target would say; the tests of the drivers let real ones say it.
            asked = {address: each for address, each in placed.items() if each.kind.tells}
            readings = {address: ResourceReading(exists=False, warning="refused") for address in asked}
            unseen = [
                report_unread_resource([each], "it is away", is_reached=False) for each in asked.values()
            ]
            found = [*report_target_problems(placed, readings), *unseen]
        elif code.when == "render":
            found = [*_rendered(spoken, package)]
        else:
            found = Application({"extend-select": code.code}).run(package, spoken.validators())
        shown = textwrap.indent("\n".join(f"{one.location}: {one.code} {one.message}" for one in found), "  ")
        assert (code.code in [one.code for one in found]) == expected, (
            f"{'bad' if expected else 'good'}:\n{shown}"
        )
