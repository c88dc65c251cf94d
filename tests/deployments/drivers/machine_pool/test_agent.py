"""The runner beside the agent that it stands in for: the same plans, the same answers.

The agent is murano-agent 12.0.0 in an environment of its own, which `make endure` makes; SABIR_TEST_AGENT says where. Puppet, Chef and
Berkshelf are scripts here that tell what they were called with: what is compared is how they are called.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest

from sabir.deployments.drivers.machine_pool.runner import answer_to
from tests.deployments.drivers.machine_pool.test_runner import CASES, plan

AGENT = os.environ.get("SABIR_TEST_AGENT")
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(AGENT is None, reason="SABIR_TEST_AGENT names no environment with murano-agent"),
]

OURS_ONLY = {
    "a name that leads out": "the agent writes wherever the name leads",
    "no body": "the agent fails with an indentation that the plan has not",
    "input of a script": "the agent gives none on, whatever a plan says",
}
TOLD = """\
#!/bin/sh
echo "$(basename "$0") $*"
for file in manifest.pp node.json; do [ ! -e $file ] || { cat $file; echo; }; done
[ ! -e default.yaml ] || sed 's/[{}"]//g; s/, /\\n/g' default.yaml | sort
for word; do case "$word" in *.rb) cat "$word"; echo;; esac; done
echo "ERROR: of the recipe"
echo "a warning" >&2
exit ${STATUS:-0}
"""
ASK = """\
import json, os, sys
from oslo_log import log
import muranoagent.executors.application, muranoagent.executors.chef, muranoagent.executors.puppet
from muranoagent import bunch, execution_plan_runner, execution_result, validation
from muranoagent.common import config
log.register_options(config.CONF)
config.CONF([], project='muranoagent')
config.CONF.set_override('storage', sys.argv[1])
answers = {}
for name, plan in json.load(sys.stdin).items():
    plan = bunch.Bunch(plan, ID=name.replace(' ', '-'))
    folder = os.path.join(sys.argv[1], 'work', plan.ID)
    os.makedirs(folder)
    os.chdir(folder)
    os.environ.pop('STATUS', None)
    try:
        validation.validate_plan(plan)
        with execution_plan_runner.ExecutionPlanRunner(plan) as runner:
            answer = execution_result.ExecutionResult.from_result(runner.run(), plan)
    except Exception as error:
        answer = execution_result.ExecutionResult.from_error(error, plan)
    answers[name] = [answer['ErrorCode'], answer['Body']]
print(json.dumps(answers))
"""
RECIPE = "cookbooks 'here'"


def _module(type_: str, entry: str, body: str, **options: Any) -> dict[str, Any]:
    """A plan with a module or cookbook; every one brings a Berksfile, which only who asks for it reads."""
    sent = plan(body, FormatVersion="2.2.0")
    sent["Scripts"]["script"] = {"Type": type_, "EntryPoint": entry, "Files": ["f2"], "Options": options}
    sent["Files"]["f2"] = {"Name": "web/Berksfile", "BodyType": "Text", "Body": RECIPE}
    return sent


MODULES = {
    "a module": _module("Puppet", "web::", "return script()"),
    "a class of a module": _module("Puppet", "web::server", "return script({'port': 80, 'host': 'a'})"),
    "attributes by name": _module("Puppet", "web::", "return script(recipe_attributes={'port': 80})"),
    "a module that fails": _module(
        "Puppet", "web::", "import os\nos.environ['STATUS'] = '4'\nreturn script()"
    ),
    "a module whose status does not count": _module(
        "Puppet", "web::", "import os\nos.environ['STATUS'] = '4'\nreturn script()", verifyExitcode=False
    ),
    "a recipe": _module("Chef", "web::server", "return script()"),
    "a recipe with attributes": _module("Chef", "web::server", "return script({'port': 80})"),
    "a recipe that fails": _module(
        "Chef", "web::server", "import os\nos.environ['STATUS'] = '1'\nreturn script()"
    ),
    "cookbooks of Berkshelf": _module("Chef", "web::server", "return script()", useBerkshelf=True),
    "another Berksfile": _module(
        "Chef", "web::server", "return script()", useBerkshelf=True, berksfilePath="web/Berksfile"
    ),
    "no Berksfile": _module(
        "Chef", "web::server", "return script()", useBerkshelf=True, berksfilePath="Berksfile"
    ),
    "Berkshelf that fails": _module(
        "Chef",
        "web::server",
        "import os\nos.environ['STATUS'] = '1'\nreturn script()",
        useBerkshelf=True,
        verifyExitcode=False,
    ),
    "nothing captured of a recipe": _module(
        "Chef", "web::server", "return script()", captureStdout=True, captureStderr=False
    ),
    "a module without colons": _module("Puppet", "web", "return script()"),
    "a script of another kind": _module("Ansible", "web::", "return script()"),
    "Berkshelf for a module": _module("Puppet", "web::", "return script()", useBerkshelf=True),
}


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What the agent answers to every plan."""
    folder = tmp_path_factory.mktemp("agent")
    plans = {name: case[0] for name, case in CASES.items() if name not in OURS_ONLY} | MODULES
    ended = subprocess.run(
        [Path(AGENT or "").absolute() / "bin/python", "-c", ASK, folder],
        input=json.dumps(plans),
        env={**os.environ, "PATH": f"{_programs(folder)}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ended.returncode == 0, ended.stderr
    told: dict[str, Any] = json.loads(ended.stdout.splitlines()[-1])
    return told


def _programs(folder: Path) -> Path:
    programs = folder / "bin"
    programs.mkdir()
    for name in ("puppet", "chef-solo", "berks"):
        (programs / name).write_text(TOLD)
        (programs / name).chmod(0o755)
    return programs


@pytest.mark.parametrize("name", [name for name in (*CASES, *MODULES) if name not in OURS_ONLY])
def test_the_agent_answers_the_same(
    name: str, answers: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sent = MODULES[name] if name in MODULES else CASES[name][0]
    monkeypatch.setenv("PATH", f"{_programs(tmp_path)}:{os.environ['PATH']}")
    monkeypatch.delenv("STATUS", raising=False)
    answer = answer_to(sent)
    os.environ.pop("STATUS", None)
    assert _plain([answer["ErrorCode"], answer["Body"]]) == _plain(answers[name])


def _plain(answer: Any) -> Any:
    """Without the folders that each makes for itself."""
    text = json.dumps(answer)
    text = re.sub(r"(['\\\" =])/[^ '\\\"]*?/script\b", r"\1FOLDER", text)
    return json.loads(text)
