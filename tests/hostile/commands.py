"""Attacks at the doors of the newer commands: tests, forms, states, plans, resources, targets, archives."""

from __future__ import annotations

import io
import json
import zipfile
from collections.abc import Callable, Mapping
from typing import Final

from tests.hostile.attack import TOSCA, Attack, Content, archive

__all__ = ["COMMAND_ATTACKS"]

_DEEP: Final = "[" * 100_000 + "]" * 100_000
_ENVIRONMENT: Final = "name: demo\nparts:\n  f: {path: resources.yaml}\n"
_STATE: Final = {
    "address": "f/a",
    "kind": "command",
    "target": "default",
    "driver": "local",
    "status": "present",
    "id": None,
    "desired": json.dumps({"run": "true", "undo": "touch RAN"}),
    "fields": None,
    "requires": "[]",
    "deployment": 1,
    "step": "f/a",
    "origin": None,
}


def _resources(text: str, **more: Content) -> Callable[[], Mapping[str, Content]]:
    description = f"sabir: resources/1\nresources:\n  a: {text}\n"
    return lambda: {"sabir.yaml": _ENVIRONMENT, "resources.yaml": description, **more}


def _package(**files: str) -> Callable[[], Mapping[str, Content]]:
    manifest = (
        "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\n"
        "Classes: {a.App: App.yaml}\n"
    )
    return lambda: {"manifest.yaml": manifest, **files}


def _test(body: str) -> Callable[[], Mapping[str, Content]]:
    text = f"Name: a.App\nExtends: io.murano.test.TestFixture\nMethods:\n  testIt:\n    Body:\n{body}"
    return _package(**{"Classes/App.yaml": text})


def _form(fields: str, value: str = "1") -> Callable[[], Mapping[str, Content]]:
    text = (
        f"Version: 2\nForms:\n- f:\n    fields:\n{fields}Application:\n  ?: {{type: a.App}}\n  x: {value}\n"
    )
    return _package(**{"Classes/App.yaml": "Name: a.App\n", "UI/ui.yaml": text})


def _exported(**changes: object) -> str:
    return json.dumps({"format": "sabir.state/1", "resources": [{**_STATE, **changes}]})


def _csar(files: Mapping[str, Content]) -> Callable[[], Mapping[str, Content]]:
    meta = "TOSCA-Meta-File-Version: 1.1\nCSAR-Version: 1.1\nCreated-By: x\nEntry-Definitions: t.yaml\n"
    return lambda: archive({"TOSCA-Metadata/TOSCA.meta": meta, **files})


def _bomb() -> Mapping[str, Content]:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("big", bytes(80 << 20))
    content = "{kind: archive, fields: {path: out, content: {file: bomb.zip}}}"
    return _resources(content, **{"bomb.zip": stream.getvalue()})()


_HANG: Final = "(a|a)" * 36
_FILE: Final = "{kind: file, fields: {path: p, content: %s}}"
_OBJECT: Final = "{apiVersion: v1, kind: ConfigMap, metadata: {name: a}}"
_KUBERNETES: Final = f"{{kind: kubernetes, target: k, fields: {{manifest: {_OBJECT}}}}}"


def _target(target: str, resource: str, **more: Content) -> Callable[[], Mapping[str, Content]]:
    files = {**_resources(resource)(), **more}
    return lambda: {**files, "sabir.yaml": f"{_ENVIRONMENT}targets: {{k: {target}}}\n"}


_KUBECONFIG: Final = """\
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "https://127.0.0.1:9"}}]
users: [{name: u, user: {exec: {apiVersion: client.authentication.k8s.io/v1, command: touch, args: [RAN]}}}]
"""

_OBJECTS: Final = '{"Objects": {"?": {"id": "e1", "type": "io.murano.Environment"}, "name": "n"}}'


def _dump(text: str, model: str = "m.yaml") -> Callable[[], Mapping[str, Content]]:
    environment = f"name: d\nparts:\n  m: {{path: pkg, model: {model}}}\n"
    return lambda: {
        "sabir.yaml": environment,
        "dump": text,
        **{f"pkg/{n}": c for n, c in _package()().items()},
    }


_LINK: Final = "not followed"
_MANIFEST: Final = "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\nClasses: {a.App: App.yaml}\n"

COMMAND_ATTACKS: Final = (
    *(
        Attack(
            attack=f"a link that leads outside, as {name}",
            door=door,
            files=files,
            links=((link, target),),
            words=words,
            ends=1,
            says=says,
        )
        for name, door, files, link, target, words, says in (
            (
                "a part",
                "environment, check",
                lambda: {"sabir.yaml": "parts: {a: {path: t.yaml}}\n"},
                "t.yaml",
                "../secret.yaml",
                ("check", "PATH"),
                _LINK,
            ),
            (
                "a part",
                "environment, plan",
                lambda: {"sabir.yaml": "parts: {a: {path: t.yaml}}\n"},
                "t.yaml",
                "../secret.yaml",
                ("plan", "PATH"),
                _LINK,
            ),
            (
                "an import",
                "TOSCA, check",
                lambda: {"service.yaml": f"{TOSCA}imports: [t.yaml]\n"},
                "t.yaml",
                "../secret.yaml",
                ("check", "PATH"),
                _LINK,
            ),
            (
                "a class",
                "MuranoPL, check",
                lambda: {"manifest.yaml": _MANIFEST},
                "Classes/App.yaml",
                "../../secret.yaml",
                ("check", "PATH"),
                _LINK,
            ),
            (
                "a folder of modules",
                "Inmanta, check",
                lambda: {"main.cf": "import m\n"},
                "libs",
                "..",
                ("check", "PATH"),
                _LINK,
            ),
            (
                "the content of a file",
                "resources, plan",
                _resources(_FILE % "{file: t.txt}"),
                "t.txt",
                "../secret.yaml",
                ("plan", "PATH"),
                "",
            ),
            (
                "what is written",
                "resources, deploy",
                _resources(_FILE.replace("path: p", "path: out/RAN") % "x"),
                ".sabir/world/out",
                "../../..",
                ("deploy", "PATH", "--yes"),
                "",
            ),
            (
                "a model that would be written",
                "adopt --murano",
                _dump(_OBJECTS),
                "m.yaml",
                "../RAN",
                ("adopt", "PATH", "--murano", "PATH/dump"),
                "leads out of the environment",
            ),
        )
    ),
    *(
        Attack(
            attack=f"a model that would be written outside, {name}",
            door="adopt --murano",
            files=_dump(_OBJECTS, model),
            words=("adopt", "PATH", "--murano", "PATH/dump"),
            ends=1,
            says="leads out of the environment",
        )
        for name, model in (("by its path", "../RAN"), ("by a whole path", "/tmp/RAN"))
    ),
    *(
        Attack(
            attack=f"a dump of {name}",
            door="adopt --murano",
            files=_dump(text),
            words=("adopt", "PATH", "--murano", "PATH/dump"),
            ends=2,
            says="there is no environment of Murano",
        )
        for name, text in (
            ("a model nested 100,000 deep", json.dumps({"id": "e", "description": "[" * 100_000})),
            ("20,000 inserts without an end", "INSERT INTO environment VALUES (" * 20_000),
            ("20,000 lists of columns without an end", "INSERT INTO environment (" * 20_000),
            ("300,000 spaces", "INSERT INTO environment" + " " * 300_000),
            ("200,000 quotes", "INSERT INTO environment VALUES ('" + "\\'" * 200_000),
        )
    ),
    Attack(
        attack="a test that never ends",
        door="MuranoPL, test",
        files=_test("      - While: (1 = 1)\n        Do: [{$x: 1}]\n"),
        words=("test", "PATH"),
        ends=1,
        says="steps",
    ),
    Attack(
        attack="a test that calls itself",
        door="MuranoPL, test",
        files=_test("      - $.testIt()\n"),
        words=("test", "PATH"),
        ends=1,
        says="",
    ),
    Attack(
        attack="a regular expression with 2³⁶ ways",
        door="MuranoPL form, model",
        files=_form(
            f"    - {{name: x, type: string, initial: '{'a' * 40}b', validators: [{{expr: {{regexpValidator: '^{_HANG}$'}}}}]}}\n"
        ),
        words=("model", "PATH", "--no-ask"),
        ends=1,
        says="",
    ),
    Attack(
        attack="a billion numbers as a proposal",
        door="MuranoPL form, model",
        files=_form("    - {name: x, type: string, initial: !yaql 'range(999999999).sum()'}\n"),
        words=("model", "PATH", "--no-ask"),
        ends=2,
        says="10000 items",
    ),
    *(
        Attack(
            attack=f"{name}, imported",
            door="state",
            files=_resources(_FILE % "x", **{"state.json": text}),
            words=("state", "import", "PATH", "PATH/state.json"),
            ends=2,
            says="this is no exported state",
            is_limited=False,
        )
        for name, text in (
            ("a state nested 100,000 deep", f'{{"format": "sabir.state/1", "resources": {_DEEP}}}'),
            ("a state of another shape", "null"),
            ("a state whose address is a number", _exported(address=5)),
            ("a state whose fields are no JSON", _exported(desired="{")),
        )
    ),
    Attack(
        attack="a plan nested 100,000 deep",
        door="plan file, deploy",
        files=_resources(_FILE % "x", **{"plan.json": _DEEP}),
        words=("deploy", "PATH", "PATH/plan.json"),
        ends=2,
        says="nested too deeply",
    ),
    Attack(
        attack="a forged plan",
        door="plan file, deploy",
        files=_resources(
            _FILE % "x",
            **{"plan.json": '{"format": "sabir.plan/1", "environment": "demo", "state": 0, "digest": "x"}'},
        ),
        words=("deploy", "PATH", "PATH/plan.json"),
        ends=1,
        says="plan again",
    ),
    *(
        Attack(
            attack=f"the content of a file is {name}",
            door=f"resources, {command}",
            files=_resources(_FILE % f"{{file: {path}}}"),
            words=(command, "PATH"),
            ends=1,
            says="there is no file",
        )
        for command in ("check", "compile", "plan")
        for name, path in (("outside", "../secret.yaml"), ("a device", "/dev/zero"))
    ),
    *(
        Attack(
            attack=f"{name} as an argument",
            door=command,
            files=lambda: {**_resources("{kind: file, fields: {path: p, content: x}}")(), "args.yaml": _DEEP},
            words=(command, "PATH", "a.b", "--yes", "--arg", argument),
            ends=2,
            says=says,
        )
        for command in ("call", "notify")
        for name, argument, says in (
            ("a device without an end", "/dev/zero", "name a file"),
            ("a file nested 100,000 deep", "PATH/args.yaml", "nested deeper than 200 levels"),
            (
                "Python code",
                "x=!!python/object/apply:os.system [touch RAN]",
                "belongs to another kind of value",
            ),
            ("a folder", "PATH", "name a file"),
        )
    ),
    Attack(
        attack="a file that would be written outside",
        door="resources, deploy",
        files=_resources("{kind: file, fields: {path: ../../../RAN, content: x}}"),
        words=("deploy", "PATH", "--yes"),
        ends=1,
        says="leads out of",
    ),
    Attack(
        attack="a command without leave",
        door="resources, deploy",
        files=_resources("{kind: process, fields: {name: a, run: touch RAN}}"),
        words=("deploy", "PATH", "--yes"),
        ends=1,
        says="--trust scripts",
    ),
    Attack(
        attack="80 MB of nothing in an archive",
        door="resources, deploy",
        files=_bomb,
        words=("deploy", "PATH", "--yes"),
        ends=1,
        says="the archive holds too much",
    ),
    Attack(
        attack="a kubeconfig that runs a program",
        door="target, plan",
        files=_target("{driver: kubernetes, kubeconfig: config}", _KUBERNETES, config=_KUBECONFIG),
        words=("plan", "PATH", "--refresh"),
        ends=3,
        says="",
    ),
    Attack(
        attack="a kubeconfig that runs a program",
        door="target, deploy",
        files=_target("{driver: kubernetes, kubeconfig: config}", _KUBERNETES, config=_KUBECONFIG),
        words=("deploy", "PATH", "--yes"),
        ends=1,
        says="--trust scripts",
    ),
    Attack(
        attack="an option of ssh as the name of a host",
        door="target, deploy",
        files=_target(
            "{driver: ssh, host: '-oProxyCommand=touch RAN'}",
            _FILE.replace("fields", "target: k, fields") % "x",
        ),
        words=("deploy", "PATH", "--yes"),
        ends=1,
        says="",
    ),
    Attack(
        attack="a name that climbs out",
        door="CSAR",
        files=_csar({"../t.yaml": TOSCA, "t.yaml": f"{TOSCA}topology_template: {{}}\n"}),
        words=("check", "PATH/package.zip"),
        ends=1,
        says="climbs out of the package",
    ),
    Attack(
        attack="its entry is outside",
        door="CSAR",
        files=lambda: archive(
            {
                "TOSCA-Metadata/TOSCA.meta": "CSAR-Version: 1.1\nCreated-By: x\nEntry-Definitions: ../secret.yaml\n"
            }
        ),
        words=("check", "PATH/package.zip"),
        ends=1,
        says="",
    ),
)
