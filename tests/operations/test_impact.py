"""`impact` is `why` read backwards."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.errors import UsageError
from sabir.operations.impact import ImpactRequest, impact_path
from sabir.operations.why import WhyRequest, why_path
from tests.cli.conftest import MODEL, model, toy  # noqa: F401  fixtures


def affected(model: Path, line: str) -> list[str]:  # noqa: F811
    impact = impact_path(ImpactRequest(path=model, line=line))
    return [
        f"{impact.graph[one.instance].name if one.instance else ''}.{one.attribute or ''}"
        for one in impact.affected
    ]


def test_a_line_reaches_what_reads_its_value(model: Path) -> None:  # noqa: F811
    found = affected(model, "main.toy:4")
    assert {"web.ip", "web.url", "web.target"} <= set(found)
    assert "db.ip" not in found


def test_impact_and_why_agree(model: Path) -> None:  # noqa: F811
    """A line has an impact on a value exactly when the value's chain names the line."""
    for subject in ("db.ip", "web.ip", "web.url", "web.target"):
        explanation = why_path(WhyRequest(path=model, subject=subject))
        named = {step.location.line for step in explanation.steps if step.location is not None}
        for number in range(1, MODEL.count("\n") + 1):
            assert (subject in affected(model, f"main.toy:{number}")) == (number in named), (subject, number)


@pytest.mark.parametrize(
    ("line", "message"),
    [("main.toy", "no FILE:LINE"), ("main.toy:x", "no FILE:LINE"), ("mian.toy:1", "did you mean 'main.toy'")],
)
def test_wrong_usage(model: Path, line: str, message: str) -> None:  # noqa: F811
    with pytest.raises(UsageError, match=message):
        impact_path(ImpactRequest(path=model, line=line))


def test_a_line_that_is_not_there(model: Path) -> None:  # noqa: F811
    with pytest.raises(UsageError, match=r"main\.toy has 10 lines, and no line 999"):
        affected(model, "main.toy:999")
