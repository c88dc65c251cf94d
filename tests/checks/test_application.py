from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import ClassVar

import pytest

from sabir.checks import Application, BaseValidator, CheckOptions, CheckTask, FormValidator
from sabir.diagnostics import Examples, Finding, Rule
from sabir.errors import UsageError
from sabir.source.packages import MemoryPackage
from tests.checks.toy import BAD, ENTRY_POINT, ToyValidator
from tests.support.plugin_path import install

PACKAGE = MemoryPackage({"toy.yaml": BAD})
VALIDATORS = (FormValidator, ToyValidator)


def codes(findings: Iterable[Finding]) -> list[str]:
    return [finding.code for finding in findings]


@pytest.mark.rows("V-001", "V-139", "V-142", "V-144")
def test_a_check_from_python_without_the_command_line() -> None:
    findings = Application(options=None).run(PACKAGE, VALIDATORS)
    assert codes(findings) == ["TOY:E001", "TOY:W002", "E006"]
    assert [*inspect.signature(Application.__init__).parameters][:2] == ["self", "options"]


@pytest.mark.rows("V-145", "V-146")
def test_prepared_checks_are_a_list_of_callables() -> None:
    application = Application()
    suite = application.prepare_check_suit(PACKAGE, [ToyValidator])
    assert isinstance(suite, list)
    assert [type(check) for check in suite] == [CheckTask]
    assert codes(suite[0]()) == ["TOY:E001", "TOY:W002", "TOY:W003", "TOY:W003"]
    assert Application.prepare_check_suite is Application.prepare_check_suit


@pytest.mark.usefixtures("toy")
@pytest.mark.rows("V-127", "V-145")
def test_validators_are_found_by_entry_points() -> None:
    application = Application()
    assert ToyValidator in application.load_plugins()
    assert codes(application.run(PACKAGE)) == ["TOY:E001", "TOY:W002", "E006"]
    assert codes(application.run(PACKAGE, ["keys"])) == ["TOY:E001", "TOY:W002"]
    with pytest.raises(UsageError, match="no validator 'kees': did you mean 'keys'"):
        application.run(PACKAGE, ["kees"])


@pytest.mark.usefixtures("toy")
@pytest.mark.rows("V-037", "V-147")
def test_list_errors() -> None:
    application = Application()
    every = [code.code for code in application.list_errors()]
    assert {"E000", "E006", "TOY:E001"} <= {*every}
    assert all(code.title and code.why and code.bad and code.good for code in application.list_errors())
    warnings = [code.code for code in application.list_errors("W")]
    assert warnings
    assert all(code.rpartition(":")[2].startswith("W") for code in warnings)
    assert [code.code for code in application.list_errors(["toy"])] == ["TOY:E001", "TOY:W002", "TOY:W003"]
    assert [code.code for code in application.list_errors("E001, TOY:W002")][-2:] == ["TOY:E001", "TOY:W002"]


@pytest.mark.rows("V-006", "V-007", "V-133", "V-134", "V-135")
@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({}, ["TOY:E001", "TOY:W002", "E006"]),
        ({"select": "E006"}, ["E006"]),
        ({"select": "e001"}, ["TOY:E001"]),
        ({"select": ["TOY"]}, ["TOY:E001", "TOY:W002"]),
        ({"select": "W"}, ["TOY:W002"]),
        ({"select": "W003"}, ["TOY:W003", "TOY:W003"]),
        ({"extend-select": "TOY:W003"}, ["TOY:E001", "TOY:W002", "TOY:W003", "E006", "TOY:W003"]),
        ({"extend_select": "TOY"}, ["TOY:E001", "TOY:W002", "E006"]),
        ({"ignore": "TOY:E001,E006"}, ["TOY:W002"]),
        ({"select": "E", "ignore": "E006"}, ["TOY:E001"]),
        ({"scope": "KEYS"}, ["TOY:E001", "TOY:W002"]),
        ({"scope": ["toy", "form"]}, ["TOY:E001", "TOY:W002", "E006"]),
        ({"scope": "FORM"}, ["E006"]),
        ({"per-path-ignores": {"toy.*": ["W", "E006"]}}, ["TOY:E001"]),
        ({"per-path-ignores": {"other/*": ["W"]}}, ["TOY:E001", "TOY:W002", "E006"]),
    ],
    ids=str,
)
def test_options(options: dict[str, object], expected: list[str]) -> None:
    assert codes(Application(options).run(PACKAGE, VALIDATORS)) == expected


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"selct": "E"}, "no option 'selct': did you mean 'select'"),
        ({"strict": "yes"}, "strict must be true or false"),
        ({"select": 5}, "select must be a list"),
        ({"select": "E99999"}, "'E99999' is no code"),
        ({"scope": "kyes"}, "no validator 'kyes': did you mean 'keys'"),
        ({"per-path-ignores": ["W"]}, "must be a table"),
        ({"language": 1}, "language must be a text"),
    ],
)
def test_bad_options(options: dict[str, object], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Application(options).run(PACKAGE, VALIDATORS)


@pytest.mark.rows("V-155")
def test_run_of_some_files() -> None:
    package = MemoryPackage({"toy.yaml": BAD, "other.yaml": "a: [\n"})
    assert codes(Application().run(package, VALIDATORS, ["other.yaml"])) == ["E002"]
    assert codes(FormValidator(package).run(files=["toy.yaml"])) == ["E006"]


def test_a_check_that_fails_is_a_finding_and_leaves_the_others_alone() -> None:
    package = MemoryPackage({"toy.yaml": "prt: 1\ncrash: 1\nname: a\nname: b\n"})
    findings = Application({"select": "E006"}).run(package, (ToyValidator, FormValidator))
    assert codes(findings) == ["E000", "E006"]
    assert "ToyValidator" in findings[0].message
    assert "the toy broke" in findings[0].message
    assert codes(Application({"ignore": "E000"}).run(package, (ToyValidator,))) == ["TOY:E001"]


class Unbuildable(ToyValidator):
    def __init__(self, loaded_package: object) -> None:
        raise ValueError("no")


def test_a_validator_that_cannot_start_is_a_finding() -> None:
    assert codes(Application().run(PACKAGE, (Unbuildable, FormValidator))) == ["E000", "E006"]


def test_two_checks_that_see_the_same_defect_are_one_finding() -> None:
    once = Application().run(PACKAGE, VALIDATORS)
    twice = Application().run(PACKAGE, (*VALIDATORS, *reversed(VALIDATORS)))
    assert once == twice


def test_defects_of_the_container_are_reported() -> None:
    from sabir.source.packages.limits import LEADS_OUT

    package = MemoryPackage({})
    package.findings = (LEADS_OUT.about_file("../x", "climbs out"),)
    findings = Application().run(package, ())
    assert [(finding.code, finding.filename, finding.line) for finding in findings] == [
        ("E008", "../x", None)
    ]


# Plug-ins


class Abc(BaseValidator):
    short_name: ClassVar[str] = "ABC"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return (
            Rule(
                code=cls.own_code("E001"),
                title="toy.yaml is there",
                why="A sample.",
                examples=Examples({"toy.yaml": ""}, {"other.yaml": ""}),
            ),
        )

    def run(self, files: Iterable[str] | None = None) -> Iterator[Finding]:
        if self.package.exists("toy.yaml"):
            yield Finding.about_file(self.own_code("E001"), "there it is", "toy.yaml")


class ForOthers(Abc):
    languages: ClassVar[tuple[str, ...]] = ("other",)


class BadName(Abc):
    short_name: ClassVar[str] = "ab1"


class ForeignCode(Abc):
    short_name: ClassVar[str] = "XYZ"

    @classmethod
    def rules(cls) -> tuple[Rule, ...]:
        return Abc.rules()


HERE = "tests.checks.test_application"


@pytest.mark.rows("V-005", "V-011", "V-033", "V-128", "V-129", "V-153")
def test_a_validator_of_a_third_party(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    install(
        monkeypatch, tmp_path, f"{ENTRY_POINT}[sabir.validators]\nabc = {HERE}:Abc\nmore = {HERE}:ForOthers\n"
    )
    application = Application()
    assert "ABC:E001" in codes(application.run(PACKAGE))
    assert codes(Application({"scope": "abc"}).run(PACKAGE)) == ["ABC:E001"]
    assert {Abc, ToyValidator} <= {*application.load_plugins()}
    assert "ABC:E001" in [code.code for code in application.list_errors()]
    assert application.failures == ()


@pytest.mark.rows("V-031", "V-129")
@pytest.mark.parametrize(
    ("target", "reason"),
    [
        ("no_such_module:Thing", "No module named 'no_such_module'"),
        (f"{HERE}:Missing", "Missing"),
        (f"{HERE}:PACKAGE", "no BaseValidator class"),
        (f"{HERE}:BadName", "short_name 'ab1' must be capital letters"),
        (f"{HERE}:ForeignCode", "code ABC:E001 must have the prefix XYZ"),
    ],
)
def test_a_plug_in_that_fails_is_a_finding_that_names_it(
    target: str, reason: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    install(monkeypatch, tmp_path, f"{ENTRY_POINT}[sabir.validators]\nacme = {target}\n")
    application = Application({"select": "E006"})
    assert codes(application.run(PACKAGE)) == ["E006"]
    (finding,) = application.plugin_findings()
    assert finding.code == "W903"
    assert "'acme'" in finding.message
    assert reason in finding.message
    assert Application({"ignore": "W903"}).plugin_findings() == ()


def test_options_of_oslo_config() -> None:
    cfg = pytest.importorskip("oslo_config.cfg")
    from sabir.checks.oslo import list_opts

    conf = cfg.ConfigOpts()
    for group, options in list_opts():
        conf.register_opts(options, group=group)
    conf([])
    conf.set_override("select", ["E006"], group="sabir")
    assert codes(Application(conf.sabir).run(PACKAGE, VALIDATORS)) == ["E006"]
    offered = {option.name for _, options in list_opts() for option in options}
    assert offered == {*CheckOptions.__struct_fields__} - {"session", "inputs", "overrides"}
