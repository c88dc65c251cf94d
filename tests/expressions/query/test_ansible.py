"""Lookups of Ansible: run by Ansible itself, and only after leave."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

import pytest

from sabir.expressions.query import EnsembleProject, QueryError, QuerySession, evaluate
from sabir.session import Session as WorkSession
from sabir.session import Trust
from tests.expressions.query.plain import PlainResource

_ANSIBLE = Path(sys.executable).with_name("ansible")
needs_ansible = pytest.mark.skipif(not _ANSIBLE.exists(), reason="ansible-core is not installed")


def _evaluate(expression: Any, folder: Path, *, leave: bool = True) -> Any:
    work = WorkSession(trust=Trust(scripts=leave), environment=dict(os.environ))
    session = QuerySession(project=EnsembleProject(directory=folder), work=work)
    return evaluate(expression, PlainResource("box", session=session)).value


@needs_ansible
@pytest.mark.parametrize(
    ("expression", "value"),
    [
        pytest.param({"eval": {"lookup": {"sequence": "start=1 end=3"}}}, ["1", "2", "3"], id="function"),
        pytest.param("{{ lookup('ini', 'port section=web file=a.ini') }}", 80, id="template"),
        pytest.param(
            {"eval": {"lookup": {"pipe": r"printf '\173\173 x \175\175'"}}},
            "{{ x }}",
            id="answers are no templates",
        ),
    ],
)
def test_lookup(expression: Any, value: Any, tmp_path: Path) -> None:
    (tmp_path / "a.ini").write_text("[web]\nport=80\n")
    assert _evaluate(expression, tmp_path) == value


@needs_ansible
@pytest.mark.parametrize(
    ("lookup", "code", "words"),
    [
        ({"nosuch": "x"}, "EXPR:E005", "there is no lookup 'nosuch'"),
        ({"os.system": "x"}, "EXPR:E005", "there is no lookup 'os.system'"),
        ({"pipe": "exit 3"}, "EXPR:E006", "the lookup 'pipe' of Ansible failed: "),
    ],
)
def test_failure(lookup: dict[str, str], code: str, words: str, tmp_path: Path) -> None:
    with pytest.raises(QueryError) as raised:
        _evaluate({"eval": {"lookup": lookup}}, tmp_path)
    assert raised.value.finding.code == code
    assert raised.value.finding.message.startswith(words)


def test_nothing_runs_without_leave(tmp_path: Path) -> None:
    with pytest.raises(QueryError) as raised:
        _evaluate({"eval": {"lookup": {"pipe": f"touch {tmp_path}/ran"}}}, tmp_path, leave=False)
    assert raised.value.finding.code == "EXPR:E005"
    assert "--trust scripts" in (raised.value.finding.hint or "")
    assert not [*tmp_path.iterdir()]
