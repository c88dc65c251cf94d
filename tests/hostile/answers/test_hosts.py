"""Hosts that were broken into: the program that should be the hands of `sabir` there is somebody else's."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.hostile.test_attacks import NEVER, run

pytest.importorskip("asyncssh")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(not Path("/proc/self/status").exists(), reason="memory is asked of Linux"),
]

LIAR = """\
#!/usr/bin/env python3
import json, sys, time
def say(text):
    sys.stdout.write(text); sys.stdout.flush()
def greet(**more):
    say("sabir-hands " + json.dumps({"python": "3.11.7", "root": "/", "error": None, **more}) + "\\n")
def asked():
    sys.stdin.readline()
    greet()
    for line in sys.stdin:
        request = json.loads(line)
        if "do" in request:
            yield request
"""
FILE = "{kind: file, target: k, fields: {path: a, content: x}}"
COMMAND = "{kind: command, target: k, fields: {run: 'true'}}"

# What the liar does, the resource, and what is said at the end.
LIES = {
    "a profile that prints a thousand lines": (
        "say('welcome\\n' * 900)\nfor request in asked(): say(json.dumps({'id': request['id'], 'error': 'no', 'passing': False}) + '\\n')",
        FILE,
        "no",
    ),
    "a profile that never stops": ("while True: say('welcome\\n')", FILE, ""),
    "a line without an end": ("while True: say('a' * 65536)", FILE, "no greeting of ours"),
    "nothing": ("time.sleep(60)", FILE, "did not answer within 2 seconds"),
    "a greeting that is none": ("say('sabir-hands {{{\\n'); time.sleep(60)", FILE, "no greeting of ours"),
    "a greeting of numbers": ("say('sabir-hands 7\\n'); time.sleep(60)", FILE, "no greeting of ours"),
    "a deep greeting": (
        "say('sabir-hands ' + '[' * 100000 + '\\n'); time.sleep(60)",
        FILE,
        "no greeting of ours",
    ),
    "an error of a million characters": ("greet(error='e' * 1000000); time.sleep(60)", FILE, "eeee"),
    "answers that are no JSON": (
        "for request in asked(): say('nonsense\\n')",
        FILE,
        "something else than an answer",
    ),
    "answers that are numbers": (
        "for request in asked(): say('7\\n')",
        FILE,
        "something else than an answer",
    ),
    "ids that are lists": (
        "for request in asked(): say(json.dumps({'id': [1], 'answer': {}}) + '\\n')",
        FILE,
        "something else than an answer",
    ),
    "answers to other ids without an end": (
        "for request in asked():\n    while True: say(json.dumps({'id': 4711, 'answer': {}}) + '\\n')",
        FILE,
        "answers what nobody asked",
    ),
    "an answer without an end": (
        "for request in asked():\n    while True: say('a' * 65536)",
        FILE,
        "an answer is too long",
    ),
    "a deep answer": (
        "for request in asked(): say('{\"id\": %d, \"answer\": %s}\\n' % (request['id'], '[' * 5000 + ']' * 5000))",
        FILE,
        "nested more than 200 deep",
    ),
    "millions of values": (
        "for request in asked(): say('{\"id\": %d, \"answer\": [%s[]]}\\n' % (request['id'], '[],' * 3000000))",
        FILE,
        "more than 2,000,000 values",
    ),
    "a number of 100,000 digits": (
        "for request in asked(): say('{\"id\": %d, \"answer\": {\"exists\": %s}}\\n' % (request['id'], '9' * 100000))",
        FILE,
        "something else than an answer",
    ),
    "answers of another shape": (
        "for request in asked(): say(json.dumps({'id': request['id'], 'answer': {'exists': 7, 'fields': []}}) + '\\n')",
        FILE,
        "something that is no answer",
    ),
    "a command that may have run": (
        "for request in asked():\n"
        "    look = {'sighting': 'perhaps'}\n"
        "    say(json.dumps({'id': request['id'], 'answer': look if request['do'] == 'observe' else {'changed': 'x'}}) + '\\n')",
        COMMAND,
        "it cannot be told whether it was done",
    ),
    "the end": ("for request in asked(): sys.exit()", FILE, "the connection broke"),
}


def _project(folder: Path, target: str, resource: str) -> Path:
    project = folder / "project"
    project.mkdir()
    (project / "sabir.yaml").write_text(
        f"name: demo\nparts:\n  f: {{path: resources.yaml}}\ntargets: {{k: {{retries: 0, {target}}}}}\n"
    )
    (project / "resources.yaml").write_text(f"sabir: resources/1\nresources:\n  a: {resource}\n")
    return project


@pytest.mark.parametrize("name", LIES)
def test_it_ends_within_bounds(name: str, tmp_path: Path) -> None:
    lie, resource, words = LIES[name]
    liar = tmp_path / "liar"
    liar.write_text(f"{LIAR}\n{lie}\n")
    liar.chmod(0o755)
    target = f"driver: ssh, host: box, root: {tmp_path}, python: {liar}, through: [env], connect_seconds: 2"
    project = _project(tmp_path, target, resource)
    began = time.monotonic()
    status, output, cpu, megabytes = run(["deploy", str(project), "--yes", "--trust", "scripts"], tmp_path)
    assert status == 1, output[-2000:]
    assert words in output, output[-2000:]
    assert [said for said in (*NEVER, "Error:", "Exception") if said in output] == []
    assert len(output) < 20_000
    assert time.monotonic() - began < 40
    assert cpu < 10
    assert megabytes < 400
