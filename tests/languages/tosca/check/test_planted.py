"""A template with many faults: each is found, at its place, with the near name."""

from __future__ import annotations

from pathlib import Path

from sabir.diagnostics.finding import Severity
from sabir.operations.check import check_paths

PLANTED = [
    (18, "TOSCA:E038", None),
    (25, "TOSCA:E010", "num_cpus"),
    (28, "TOSCA:E021", "zone"),
    (28, "EXPR:E008", "depth"),
    (34, "TOSCA:E042", None),
    (35, "TOSCA:E012", None),
    (36, "TOSCA:E044", "address"),
    (37, "TOSCA:E043", "configure"),
    (40, "TOSCA:E050", None),
    (44, "TOSCA:E050", "create"),
    (45, "EXPR:E006", None),
    (52, "TOSCA:E046", "Standard.create"),
    (52, "TOSCA:E033", "two"),
    (53, "TOSCA:E025", "queue"),
    (55, "TOSCA:E025", "queue"),
    (57, "TOSCA:E002", None),
]


def test_every_fault_is_found() -> None:
    path = Path(__file__).parent / "planted" / "shop.yaml"
    findings = [finding for _, finding in check_paths([path]).report.findings()]
    errors = {
        (finding.place.location.line, finding.code): finding.hint
        for finding in findings
        if finding.severity is Severity.ERROR
    }
    for line, code, near in PLANTED:
        assert (line, code) in errors, (line, code)
        assert near is None or near in (errors[line, code] or ""), errors[line, code]
    assert errors.keys() == {(line, code) for line, code, _ in PLANTED}
