from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from sabir.server.work.commands import JobRequest, Place, command

PLACE = Place(path=Path("/data/e/files"), state="/data/state.db", environment="e", trust=("scripts",))
BEFORE = ["--state=/data/state.db", "--environment=e"]


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        ({"verb": "plan", "refresh": True}, ["--format=json", "--trust=scripts", "--refresh", "--"]),
        ({"verb": "deploy"}, ["--format=json", "--trust=scripts", "--yes", "--"]),
        (
            {"verb": "deploy", "allow_delete": 3, "repair": True, "inputs": {"a": "--x"}, "targets": ["-t"]},
            [
                "--format=json",
                "--trust=scripts",
                '--input=a="--x"',
                "--yes",
                "--allow-delete=3",
                "--target=-t",
                "--repair",
                "--",
            ],
        ),
        (
            {"verb": "call", "operation": "--help", "arguments": {"to": [1]}},
            ["--format=json", "--trust=scripts", "--yes", "--arg=to=[1]", "--"],
        ),
        ({"verb": "resolve", "step": "a/b", "outcome": "redo"}, ["--redo", "--"]),
    ],
)
def test_words(request_: dict[str, Any], words: list[str]) -> None:
    request = msgspec.convert(request_, JobRequest)
    line = command(PLACE, request)
    assert line[1:4] == ["-m", "sabir", request.verb]
    assert line[4:][: len(BEFORE) + len(words)] == [*BEFORE, *words]
    assert line[-1] == (request.operation or request.step or str(PLACE.path))


@pytest.mark.parametrize(
    "request_",
    [
        {"verb": "destroy"},
        {"verb": "call"},
        {"verb": "resolve", "step": "a"},
        {"verb": "serve"},
        {"verb": "deploy", "yes": True},
        {"verb": "deploy", "allow_delete": -1},
        {"verb": "call", "operation": "a\0b"},
    ],
)
def test_requests_that_make_no_sense(request_: dict[str, Any]) -> None:
    with pytest.raises(msgspec.ValidationError):
        msgspec.convert(request_, JobRequest)
