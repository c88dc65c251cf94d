from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import jsonschema_rs
import pytest
import yaml

from sabir.checks.formatters.data import report_data
from sabir.checks.formatters.formatter import FormatterOptions, find_formatter, formatter_names
from sabir.checks.report import Report
from sabir.errors import UsageError
from tests.checks.formatters.sample import SAMPLE
from tests.support.golden import assert_golden

GOLDEN = Path(__file__).parent / "golden"
NAMES = {
    "text": "text.txt",
    "concise": "concise.txt",
    "json": "report.json",
    "yaml": "report.yaml",
    "sarif": "report.sarif",
    "github": "github.txt",
    "gitlab": "gitlab.json",
    "junit": "junit.xml",
}


def written(name: str, report: Report = SAMPLE, **options: bool) -> str:
    return find_formatter(name)(FormatterOptions(**options)).format(report)


@pytest.mark.rows("V-163", "V-182", "V-183", "V-184")
@pytest.mark.parametrize("name", NAMES)
def test_golden(name: str) -> None:
    assert_golden(written(name), GOLDEN / NAMES[name])


def test_every_formatter_has_a_golden_file() -> None:
    assert {*formatter_names()} == {*NAMES}


def test_colour() -> None:
    assert_golden(written("text", color=True), GOLDEN / "colour.txt")


def test_statistics() -> None:
    assert_golden(written("text", statistics=True), GOLDEN / "statistics.txt")
    assert json.loads(written("json", statistics=True))["statistics"]["TOY:E001"] == 2


@pytest.mark.rows("V-182")
def test_text_begins_with_a_line_for_each_finding() -> None:
    lines = written("concise").splitlines()
    assert lines[1] == "apps/shop/Classes/Ü b.yaml:1:1: TOY:E001 unknown key 'prt'"
    assert all("\x1b" not in line for line in lines)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_found(name: str) -> None:
    text = written(name, Report())
    assert text == "" or text.endswith("\n")


@pytest.mark.rows("V-183", "V-184")
def test_json_and_yaml_say_the_same() -> None:
    assert json.loads(written("json")) == yaml.safe_load(written("yaml")) == report_data(SAMPLE)


def test_json_keeps_its_published_schema() -> None:
    schema = json.loads((Path(__file__).parents[3] / "docs/schemas/report-1.json").read_text())
    validator = jsonschema_rs.validator_for(schema)
    for report in (SAMPLE, Report()):
        for statistics in (False, True):
            assert [*validator.iter_errors(report_data(report, statistics=statistics))] == []
    broken = report_data(SAMPLE)
    broken["findings"][0]["severity"] = "bad"
    broken["more"] = 1
    assert len([*validator.iter_errors(broken)]) == 2


def test_gitlab_fingerprints_differ() -> None:
    issues = json.loads(written("gitlab"))
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)


def test_junit_is_xml_with_right_counts() -> None:
    root = ElementTree.fromstring(written("junit"))  # our own text
    cases = [*root.iter("testcase")]
    assert int(root.attrib["tests"]) == len(cases)
    assert int(root.attrib["failures"]) == len([*root.iter("failure")]) == 7


def test_sarif_is_as_its_standard_wants() -> None:
    log = json.loads(written("sarif"))
    assert_sarif(log)
    rules = log["runs"][0]["tool"]["driver"]["rules"]
    assert [rule["id"] for rule in rules] == sorted({"TOY:E001", "TOY:W002", "E900", "E006", "E002", "W903"})
    results = log["runs"][0]["results"]
    assert all(rules[result["ruleIndex"]]["id"] == result["ruleId"] for result in results)
    assert (
        results[1]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"]
        == "apps/shop/Classes/%C3%9C%20b.yaml"
    )
    assert results[1]["locations"][0]["physicalLocation"]["region"]["startLine"] == 1


def assert_sarif(log: dict[str, Any]) -> None:
    """The part of the SARIF 2.1.0 schema that our logs use, written down as a schema of our own."""
    schema = json.loads((Path(__file__).parent / "sarif-subset.json").read_text())
    assert [str(error) for error in jsonschema_rs.validator_for(schema).iter_errors(log)] == []


def test_an_unknown_format_is_refused() -> None:
    with pytest.raises(UsageError, match="no format 'jsn': did you mean 'json'"):
        find_formatter("jsn")
