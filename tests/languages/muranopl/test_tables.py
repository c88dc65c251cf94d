"""Small pieces of MuranoPL and what they come to, as tables: `tables/*.yaml` say in their heads what a row is.

The outcomes were recorded on the existing engine; rows where ours differs by decision are not in them, those are cases.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.model.errors import MuranoError
from tests.conformance.adapters.muranopl import run
from tests.conformance.runner.equality import Numbers, differences
from tests.conformance.runner.muranopl import MuranoCall, MuranoCase, MuranoOutcome
from tests.languages.muranopl.packages import load

TABLES = Path(__file__).parent / "tables"
_AT_ONCE = 40
"""Rows of one test: a row takes a few milliseconds, a test of its own would cost more than that."""


def _table(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.load((TABLES / f"{name}.yaml").read_text(), Loader=yaml.CSafeLoader)
    return loaded


def _pieces(name: str) -> Iterator[Any]:
    rows = _table(name)["rows"]
    for start in range(0, len(rows), _AT_ONCE):
        yield pytest.param(name, rows[start : start + _AT_ONCE], id=f"{name}-{start}")


def _run(classes: str, model: dict[str, Any], call: MuranoCall, format_: str = "1.4") -> MuranoOutcome:
    return run(
        MuranoCase(
            language="muranopl",
            id="row",
            file=TABLES,
            why="",
            rows=(),
            classes=classes,
            format=format_,
            config={},
            model=model,
            previous=None,
            call=call,
            outcomes=(),
            raw={},
        )
    )


def _written(value: Any) -> Any:
    """A value as the tables hold it: keys are texts, those of other kinds as JSON writes them."""
    if isinstance(value, dict):
        return {
            key if isinstance(key, str) else json.dumps(key): _written(item) for key, item in value.items()
        }
    return [_written(item) for item in value] if isinstance(value, list | tuple) else value


def _compared(outcome: MuranoOutcome, result: Any, error: Any) -> list[str]:
    found = outcome.error
    if error is None:
        if found is not None:
            return [f"{found.kind}: {found.text}"]
        return differences(result, _written(outcome.result), Numbers.BY_VALUE, "result")
    if found is None:
        return [f"{error} expected, {outcome.result!r} found"]
    if isinstance(error, list):
        kind, names, message, extra = error
        actual = (found.kind, list(found.names), found.message, found.extra)
        return [] if actual == (kind, names, message, extra) else [f"{error} expected, {actual} found"]
    return [] if error in ("any", found.kind) else [f"{error} expected, {found.kind} found: {found.text}"]


@pytest.mark.parametrize("row", [pytest.param(row, id=row[0]) for row in _table("contracts")["rows"]])
def test_contract(row: list[Any]) -> None:
    table, (contract, accepted, refused) = _table("contracts"), row
    classes, values = table["classes"].replace("CONTRACT", contract), table["values"]
    expected: dict[int, tuple[Any, str | None]]
    expected = {index: (made[0] if made else values[index], None) for index, *made in accepted}
    expected |= {index: (None, kind) for kind, indexes in refused.items() for index in indexes}
    session = load(classes, table["model"])
    root = session.runtime.root
    assert root is not None
    wrong: list[str] = []
    for index, (result, kind) in expected.items():
        try:
            made = plain_result(session.call(root, "m", (values[index],)))
        except MuranoError as error:
            found: list[str] = []
            if kind not in ("any", error.kind):
                found = [f"{kind} expected, {error.kind} found: {error}"]
        else:
            found = (
                differences(result, _written(made), Numbers.BY_VALUE, "result")
                if kind is None
                else [f"{made!r} accepted"]
            )
        wrong += [f"{values[index]!r}: {one}" for one in found]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("name", "rows"), [*_pieces("expressions"), *_pieces("legacy")])
def test_expressions(name: str, rows: list[list[Any]]) -> None:
    table = _table(name)
    wrong: list[str] = []
    for row in rows:
        expression, result = row[0], row[1]
        error, format_ = (row[2] if len(row) > 2 else None), (row[3] if len(row) > 3 else "1.4")
        classes = table["classes"].replace("EXPRESSION", expression)
        outcome = _run(classes, table["model"], MuranoCall(method="run"), format_)
        wrong += [f"{format_}: {expression}: {one}" for one in _compared(outcome, result, error)]
    assert not wrong, "\n".join(wrong)


@pytest.mark.parametrize(("name", "rows"), [*_pieces("statements"), *_pieces("exceptions")])
def test_bodies(name: str, rows: list[list[Any]]) -> None:
    table = _table(name)
    wrong: list[str] = []
    for body, result, trace, *error in rows:
        indented = "\n".join(f"      {line}" for line in body.split("\n"))
        outcome = _run(
            table["classes"].replace("BODY", indented),
            {"?": {"id": "root", "type": "conf.Root"}},
            MuranoCall(method="run"),
        )
        found = _compared(outcome, result, error[0] if error else None)
        found += differences(trace, _written(outcome.trace), Numbers.BY_VALUE, "trace")
        wrong += [f"{body}\n  {one}" for one in found]
    assert not wrong, "\n".join(wrong)
