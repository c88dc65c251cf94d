"""Published Murano packages, deployed in simulation: how far each gets, and what it would push.

    python -m tests.corpora.murano_packages FOLDER … [--heat PYTHON]

Packages are foreign material and no part of the project: they are looked for below the folders. A model is made from contracts (from
the form for Heat templates), put into an environment and deployed in the simulated world. With `--heat`, an interpreter that has
openstack-heat, the templates that were pushed last go through Heat's own validator. The outcome is a table in Markdown.
"""

from __future__ import annotations

import json
import subprocess
import sys
from argparse import ArgumentParser
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Severity
from sabir.errors import SabirError
from sabir.languages.language import EvaluationRequest, ModelCall, ModelQuestion
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.model_file import ModelFile
from sabir.languages.muranopl.evaluate.preparation import has_errors
from sabir.languages.muranopl.graph.program import MuranoProgram, ProgramCall, run_program
from sabir.languages.muranopl.object_models import make_model
from sabir.languages.muranopl.syntax.manifest import read_manifest
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest
from sabir.languages.muranopl.worlds.offline import RecordedWorld
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.source.packages import load_package
from sabir.text import Source

_PUSHES: Final = (EffectKind.STACK_CREATE, EffectKind.STACK_UPDATE)
_PLANS: Final = (EffectKind.AGENT_CALL, EffectKind.AGENT_SEND)
_LIBRARY: Final = "a library"
_INSTANCE: Final = "io.murano.resources.Instance"
_LINUX: Final = "io.murano.resources.LinuxMuranoInstance"
_VALIDATE: Final = """
import json, logging, sys
logging.disable(logging.CRITICAL)
from unittest import mock
from oslo_config import cfg
from heat.common import context
from heat.engine import environment, resource, resources, stack, template
cfg.CONF([], project='heat')
resources.initialise()
mock.patch.object(resource.Resource, 'is_service_available', classmethod(lambda cls, ctx: (True, None))).start()
for line in sys.stdin:
    pushed = json.loads(line)
    try:
        ctx = context.RequestContext(project_id='t', user_id='u', auth_token='x', is_admin=False)
        env = environment.Environment({'parameters': pushed['parameters']})
        made = template.Template(pushed['template'], env=env, files=pushed['files'])
        stack.Stack(ctx, 'probe', made, strict_validate=False).validate(validate_res_tmpl_only=True)
        print(json.dumps('accepted'))
    except Exception as error:
        print(json.dumps(str(error).splitlines()[0]))
"""


class Verdict(Struct, kw_only=True):
    """How far a package got."""

    name: str
    end: str
    resources: Mapping[str, int]
    plans: int
    pushed: Mapping[str, Any] | None
    heat: str = ""


def packages_below(folders: list[Path]) -> Iterator[Path]:
    """Folders with a manifest, each package once however many archives have it."""
    seen: set[bytes] = set()
    for folder in folders:
        for manifest in sorted(folder.rglob("manifest.yaml")):
            text = manifest.read_bytes()
            if text not in seen:
                seen.add(text)
                yield manifest.parent


def judge(folder: Path, search_path: tuple[Path, ...]) -> Verdict:
    """Deploy the package of a folder in simulation."""
    world = RecordedWorld(SimulatedWorld())
    try:
        name, end = _deployed(folder, world, search_path)
    except SabirError as error:
        name, end = folder.name, str(error)
    effects = [event for event in world.events if isinstance(event, EffectRequest)]
    pushes = [effect.arguments for effect in effects if effect.kind in _PUSHES]
    last = {str(push["stack"]): push for push in pushes}
    types = Counter(
        str(resource.get("type"))
        for push in last.values()
        for resource in (push["template"].get("resources") or {}).values()
    )
    return Verdict(
        name=name,
        end=end,
        resources=types,
        plans=sum(effect.kind in _PLANS for effect in effects),
        pushed=pushes[-1] if pushes else None,
    )


def _deployed(folder: Path, world: RecordedWorld, search_path: tuple[Path, ...]) -> tuple[str, str]:
    package = load_package(folder)
    request = EvaluationRequest(search_path=search_path)
    described = _model(package, request)
    if isinstance(described, str):
        return folder.name, described
    name = str(described["?"]["type"])
    model: dict[str, Any] = {
        "?": {"id": "environment", "type": "io.murano.Environment"},
        "name": "trial",
        # As the catalogue makes environments.
        "defaultNetworks": {
            "environment": {
                "?": {"id": "network", "type": "io.murano.resources.NeutronNetwork"},
                "name": "trial",
            },
            "flat": None,
        },
        "applications": [described],
    }
    program = MuranoProgram(package=package, request=request)
    file = ModelFile(source=Source("model", ""), model=model)
    findings = run_program(program, ProgramCall(file=file), world, RunLimits(seconds=60)).findings
    errors = [finding for finding in findings if finding.severity is Severity.ERROR]
    return name, errors[0].message if errors else ""


def _model(package: Any, request: EvaluationRequest) -> dict[str, Any] | str:
    """The model, or why there is none."""
    manifest, findings = read_manifest(package)
    if manifest is None or has_errors(findings):
        return findings[0].message
    if manifest.type != "Application":
        return _LIBRARY
    cls = next((name for name in (manifest.name, *manifest.classes) if name in manifest.classes), None)
    values: dict[str, Any] = {}
    made = make_model(package, request, ModelCall(ask=_answer, cls=cls))
    while made.errors and cls is None:  # a form says which fields want something, one form after the other
        wanted = {error.partition(":")[0]: 1 if "number" in error else "trial" for error in made.errors}
        if wanted.items() <= values.items():
            break
        values |= wanted
        made = make_model(package, request, ModelCall(values=values))
    if made.document is None:
        return next((finding.message for finding in made.findings), "; ".join(made.errors) or "no model")
    plain: dict[str, Any] = json.loads(json.dumps(made.document))
    _choose_classes(plain)
    return plain


def _answer(question: ModelQuestion) -> Any:
    """A value that a contract takes."""
    wanted, name = question.text, question.name.rsplit(".", 1)[-1].lower()
    if "$.int()" in wanted:
        return 8080 if "port" in name else 1
    if "$.bool()" in wanted:
        return True
    known = {"flavor": "m1.small", "image": "debian", "password": "Canary-1", "keyname": "key"}
    return known.get(name, f"trial-{name}" if "string" in wanted else None)


def _choose_classes(model: Any) -> None:
    """A server in general is a Linux server with an agent."""
    if isinstance(model, dict):
        header = model.get("?")
        if isinstance(header, dict) and header.get("type") == _INSTANCE:
            header["type"] = _LINUX
        if isinstance(header, dict) and "flavor" in model:
            model.setdefault("image", "debian")
    for part in model.values() if isinstance(model, dict) else model if isinstance(model, list) else ():
        _choose_classes(part)


def validate(verdicts: list[Verdict], python: str) -> None:
    """What Heat says of the last template of each."""
    pushed = [verdict for verdict in verdicts if verdict.pushed is not None]
    lines = [
        json.dumps(
            {
                "template": verdict.pushed["template"],
                "parameters": verdict.pushed.get("parameters") or {},
                "files": verdict.pushed.get("files") or {},
            },
            default=str,
        )
        for verdict in pushed
        if verdict.pushed is not None
    ]
    ended = subprocess.run(
        [python, "-c", _VALIDATE], input="\n".join(lines), capture_output=True, text=True, check=True
    )
    for verdict, line in zip(pushed, ended.stdout.splitlines(), strict=True):
        verdict.heat = json.loads(line)


def table(verdicts: list[Verdict]) -> Iterator[str]:
    yield "| application | end | resources | plans | Heat |"
    yield "|---|---|---|---|---|"
    for verdict in sorted(verdicts, key=lambda verdict: verdict.name):
        resources = ", ".join(f"{count} {type_}" for type_, count in sorted(verdict.resources.items()))
        end = verdict.end.replace("|", "\\|") or "reached"
        yield f"| `{verdict.name}` | {end} | {resources} | {verdict.plans or ''} | {verdict.heat} |"
    reached = sum(not verdict.end for verdict in verdicts)
    yield f"\n{reached} of {len(verdicts)} reached their end."


def main(words: list[str]) -> int:
    parser = ArgumentParser(description=__doc__)
    parser.add_argument("folders", nargs="+", type=Path)
    parser.add_argument("--heat", help="an interpreter that has openstack-heat")
    told = parser.parse_args(words)
    folders = [*packages_below(told.folders)]
    verdicts = [judge(folder, tuple(sorted({folder.parent for folder in folders}))) for folder in folders]
    verdicts = [verdict for verdict in verdicts if verdict.end != _LIBRARY]
    if told.heat:
        validate(verdicts, told.heat)
    sys.stdout.writelines(f"{line}\n" for line in table(verdicts))
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
