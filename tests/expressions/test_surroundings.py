"""Environment variables and the time of day come from the session that the caller made, never from the process."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import pytest

import sabir
from sabir.expressions.query import QuerySession as QuerySession
from sabir.expressions.query import map_value
from sabir.expressions.yaql import Engine
from sabir.session import Session, Trust
from tests.expressions.query.plain import PlainResource

NOON = datetime(2020, 2, 3, 12, 30, 15, tzinfo=UTC)
TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
topology_template:
  outputs:
    got: {value: {eval: {get_env: SABIR_T}}}
    there: {value: {has_env: SABIR_T}}
    looked_up: {value: "{{ lookup('env', 'SABIR_T') }}"}
    year: {value: "{{ now().year }}"}
"""
HINT = "allow it with --trust env:SABIR_T, or all variables with --trust env"


def allowed(value: str) -> Session:
    return Session(environment={"SABIR_T": value}, trust=Trust.of(["env:SABIR_T"]))


@pytest.fixture
def template(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("SABIR_T", "of the process")
    path = tmp_path / "service.yaml"
    path.write_text(TEMPLATE, encoding="utf-8")
    return path


def outputs(path: Path, session: Session) -> dict[str, Any]:
    return dict(sabir.compile(path, session=session).graph.outputs)


def test_a_bare_session_is_refused_the_variables_of_the_process(template: Path) -> None:
    compiled = sabir.compile(template, session=Session())
    refused = [one for one in compiled.findings if one.code == "EXPR:E016"]
    assert [one.hint for one in refused] == [HINT] * 3
    assert all("SABIR_T" in one.message for one in refused)


def test_no_variable_of_the_process_is_seen(template: Path) -> None:
    found = outputs(template, Session(trust=Trust(env=True)))
    assert (found["got"], found["there"], found["looked_up"]) == (None, False, "")


def test_sessions_do_not_mix(template: Path) -> None:
    first, second = allowed("a"), allowed("b")
    found = [outputs(template, session) for session in (first, second, first)]
    assert [one["got"] for one in found] == ["a", "b", "a"]
    assert [one["looked_up"] for one in found] == ["a", "b", "a"]


def test_the_clock_of_the_session_tells_templates_the_time(template: Path) -> None:
    assert outputs(template, Session(clock=lambda: NOON))["year"] == 2020


@pytest.mark.parametrize(
    ("session", "value"), [(Session(trust=Trust(env=True)), []), (allowed("mine"), ["mine"])]
)
def test_queries(template: Path, session: Session, value: list[str]) -> None:
    assert [*sabir.query(template, "{get_env: SABIR_T}", session=session).values] == value


def test_rules_of_an_environment(template: Path) -> None:
    (template.parent / "sabir.yaml").write_text(
        "parts: {web: {path: service.yaml}}\noutputs:\n  it: {eval: {concat: [x, {get_env: SABIR_T}]}}\n",
        encoding="utf-8",
    )
    graph = sabir.compile(template.parent, session=allowed("y")).graph
    assert graph.outputs["it"] == "xy"


def at_noon(value: str) -> Any:
    session = QuerySession(work=Session(clock=lambda: NOON, trust=Trust()))
    return map_value(value, PlainResource("box", session=session))


@pytest.mark.parametrize(
    ("template", "value"),
    [
        ("{{ now(utc=true).isoformat() }}", NOON.isoformat()),
        ("{{ now(utc=true, fmt='%H:%M') }}", "12:30"),
        ("{{ '%Y-%m-%d at %H' | strftime(none, true) }}", "2020-02-03 at 12"),
        ("{{ '%H:%M:%S.' | strftime(61, true) }}", "00:01:01."),
        ("{{ now().utcoffset() == now(utc=true).astimezone().utcoffset() }}", True),
    ],
)
def test_templates_ask_the_clock(template: str, value: Any) -> None:
    assert at_noon(template) == value


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("now()", NOON),
        ("now().hour", 12),
        ("now(timespan(hours => 2)).hour", 14),
        ("now(timespan(hours => 2)) = now()", True),
        ("now(localtz()) = now()", True),
        ("now().format('%Y/%m')", "2020/02"),
    ],
)
def test_yaql_asks_the_clock(expression: str, value: Any) -> None:
    assert Engine(clock=lambda: NOON).evaluate(expression) == value


def test_a_clock_may_tell_the_time_of_any_zone() -> None:
    east = timezone(timedelta(hours=9))
    assert Engine(clock=lambda: NOON.astimezone(east)).evaluate("now().hour") == 12


def test_an_engine_with_other_functions_keeps_its_clock() -> None:
    engine = Engine(clock=lambda: NOON)
    assert engine.with_library(engine.library).evaluate("now().year") == 2020
