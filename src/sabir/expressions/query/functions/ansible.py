"""Lookups of Ansible itself, where ansible-core is installed and the operator lets programs of the description run.

Ansible runs as a process of its own and is told everything as data. One lookup takes it about a second, so answers are kept for the
evaluation.
"""

from __future__ import annotations

import base64
import binascii
import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sabir.expressions.query.access import base_directory
from sabir.expressions.query.context import Context
from sabir.expressions.query.dependents import Store
from sabir.expressions.query.errors import BAD_ARGUMENTS
from sabir.expressions.query.functions.call import Call

__all__ = ["ansible_lookup"]

_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*){0,5}")
_TIMEOUT: Final = 60
_TEMPLATE: Final = "msg={{ query(sabir_name, *sabir_terms, **sabir_keywords) | to_json | b64encode }}"
_ANSWER: Final = re.compile(r'"msg": "([A-Za-z0-9+/=]*)"')


class _Answers(Store):
    """What Ansible has answered in this evaluation, by the question."""


_NOT_THERE: Final = re.compile(r"lookup plugin \S+ (was )?not found")
_WHERE: Final = "Error while resolving value for 'msg': "


def ansible_lookup(
    name: str, terms: list[Any], keywords: Mapping[str, Any], call: Call, context: Context
) -> list[Any] | None:
    """What Ansible answers; None when it is not installed or has no such lookup."""
    program = _program(context.session.work.environment.get("PATH"))
    if program is None or _NAME.fullmatch(name) is None:
        return None
    question = {"sabir_name": name, "sabir_terms": terms, "sabir_keywords": dict(keywords)}
    text = json.dumps(question, sort_keys=True, default=str)
    answers = context.session.tool(_Answers)
    if text not in answers:
        answers[text] = _asked(program, name, text, call, context)
        context.session.rests_outside(answers, text)
    answer: list[Any] | None = answers[text]
    return answer


def _program(search_path: str | None) -> str | None:
    """Ansible on the search path, or beside the Python that runs."""
    beside = str(Path(sys.executable).parent)
    return shutil.which("ansible", path=os.pathsep.join(filter(None, [search_path, beside])))


def _asked(program: str, name: str, question: str, call: Call, context: Context) -> list[Any] | None:
    words = [program, "localhost", "-i", "localhost,", "-c", "local", "-m", "debug", "-a", _TEMPLATE]
    surroundings = {
        **context.session.work.environment,
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_RETRY_FILES_ENABLED": "0",
    }
    surroundings.setdefault("LC_ALL", "C.UTF-8")
    try:
        done = subprocess.run(
            [*words, "-e", question],
            cwd=base_directory(context),
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        call.fail(context, f"the lookup {name!r} of Ansible took longer than {_TIMEOUT} seconds")
    except OSError as error:
        call.fail(context, f"Ansible cannot be run for the lookup {name!r}: {error.strerror}")
    match = _ANSWER.search(done.stdout.decode("utf-8", "replace"))
    if done.returncode or match is None:
        complaint = _complaint(done)
        if _NOT_THERE.search(complaint):
            return None
        call.fail(context, f"the lookup {name!r} of Ansible failed: {complaint}", BAD_ARGUMENTS)
    try:
        answer = json.loads(base64.b64decode(match[1]))
    except (ValueError, binascii.Error):
        answer = None
    return answer if isinstance(answer, list) else [answer]


def _complaint(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line that says why; Ansible's own words before it say where in its templates."""
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    told = re.findall(r'"msg": "(.*)"', said) or [line for line in said.splitlines() if "ERROR" in line]
    words = told[-1] if told else said.strip() or f"it ended with status {done.returncode}"
    return words.rpartition(_WHERE)[2][:300]
