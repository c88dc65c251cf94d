"""The runner of execution plans: it answers as the agent of the existing engine was recorded to answer."""

from __future__ import annotations

import base64
import os
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.machine_pool.runner import answer_to

HELLO = "#!/bin/sh\necho hello $1\necho warn >&2\n"
BOOM = "#!/bin/sh\necho out\necho err >&2\nexit 3\n"
FAILED = {"exitCode": 3, "stdout": "out", "stderr": "err"}


def plan(
    body: str, text: str = HELLO, *, options: dict[str, Any] | None = None, **more: Any
) -> dict[str, Any]:
    return {
        "FormatVersion": "2.0.0",
        "Name": "Plan",
        "Body": body,
        "Parameters": {"who": "world"},
        "Scripts": {
            "script": {"Type": "Application", "EntryPoint": "f1", "Files": [], "Options": options or {}}
        },
        "Files": {"f1": {"Name": "script.sh", "BodyType": "Text", "Body": text}},
        **more,
    }


CASES: dict[str, tuple[dict[str, Any], int, Any]] = {
    "text of a script": (plan("return script(args.who).stdout\n"), 0, "hello world"),
    "all of a script": (
        plan("return script(args.who)"),
        0,
        {"exitCode": 0, "stdout": "hello world", "stderr": "warn"},
    ),
    "a body that raises": (
        plan("raise ValueError('bad')"),
        1,
        {"Message": "bad", "AdditionalInfo": None},
    ),
    "a script that fails": (
        plan("return script()", BOOM),
        100,
        {"Message": "Script script returned error code", "AdditionalInfo": FAILED},
    ),
    "a status that does not count": (
        plan("return script()", BOOM, options={"verifyExitcode": False}),
        0,
        FAILED,
    ),
    "nothing captured": (
        plan("return script()", options={"captureStdout": False, "captureStderr": False}),
        0,
        {"exitCode": 0, "stdout": None, "stderr": None},
    ),
    "no body": (plan(""), 0, None),
    "an indented body": (plan("  x = 1\n  return x + 1\n"), 0, 2),
    "input of a script": (plan("return script(input='abc').stdout", "#!/bin/sh\ncat\n"), 0, "abc"),
    "no files": (
        {key: value for key, value in plan("return 1").items() if key != "Files"},
        2,
        {"Message": "Files is not in the execution plan", "AdditionalInfo": None},
    ),
    "a format of the future": (
        plan("return 1", FormatVersion="3.0.0"),
        9,
        {
            "Message": "Unsupported format version 3.0.0 (I support versions <=2.2.0)",
            "AdditionalInfo": None,
        },
    ),
    "a script without its file": (
        plan("return 1", Files={}),
        2,
        {"Message": "Script script misses entry point f1", "AdditionalInfo": None},
    ),
    "a name that leads out": (
        plan("return script()", Files={"f1": {"Name": "../../evil", "BodyType": "Text", "Body": HELLO}}),
        2,
        {
            "Message": "file f1 has a name that leads out of its folder: ../../evil",
            "AdditionalInfo": None,
        },
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_answers(name: str, capfd: pytest.CaptureFixture[str]) -> None:
    sent, code, body = CASES[name]
    before = os.getcwd()
    answer = answer_to(sent)
    capfd.readouterr()
    assert (answer["ErrorCode"], answer["Body"]) == (code, body)
    assert answer["FormatVersion"] == "2.0.0"
    assert os.getcwd() == before


def test_files_stand_beside_the_script_under_their_names() -> None:
    data = base64.b64encode(b"\x00binary").decode()
    sent = plan("return script().stdout", "#!/bin/sh\nod -An -c data/more.bin\n")
    sent["Scripts"]["script"]["Files"] = ["f2"]
    sent["Files"]["f2"] = {"Name": "data/more.bin", "BodyType": "Base64", "Body": data}
    assert "b   i   n" in answer_to(sent)["Body"]


@pytest.mark.parametrize(
    ("type_", "program", "expected"),
    [
        ("Puppet", "puppet", "apply --hiera_config=hiera.yaml"),
        ("Chef", "chef-solo", "-j node.json -c"),
    ],
)
def test_modules_and_recipes_go_to_their_programs(
    type_: str, program: str, expected: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Neither program is here; what they are called with, and in which files, is what plans rely on."""
    fake = tmp_path / program
    fake.write_text('#!/bin/sh\necho "$@"\ncat manifest.pp default.yaml node.json 2>/dev/null || true\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    sent = plan("return script({'port': 80}).stdout", FormatVersion="2.1.0")
    sent["Scripts"]["script"] = {"Type": type_, "EntryPoint": "web::server", "Files": [], "Options": {}}
    answer = answer_to(sent)["Body"]
    assert expected in answer
    assert ('"web::port": 80' if type_ == "Puppet" else '"recipe[web::server]"') in answer


def test_powershell_is_needed_for_the_first_format(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    answer = answer_to({"Scripts": [], "Commands": [{"Name": "Do", "Arguments": {}}]})
    assert answer["IsException"]
    assert "PowerShell" in answer["Result"][1]


def test_commands_of_the_first_format_are_called_one_after_the_other(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake = tmp_path / "pwsh"
    fake.write_text('#!/bin/sh\n[ "$(tail -n 1 "$4")" != "Fail " ] || exit 1\ntail -n 1 "$4"\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    script = base64.b64encode(b"function Greet($who) { $who }").decode()
    commands = [{"Name": "Greet", "Arguments": {"who": "it's"}}, {"Name": "Fail", "Arguments": {}}]
    answer = answer_to({"Scripts": [script], "Commands": commands})
    first, second = answer["Result"]
    assert first == {"IsException": False, "Result": ["Greet -who (ConvertFrom-Json '\"it''s\"')"]}
    assert second["IsException"]
