"""What the fuzzer of the doors begins with: every case file and example, as the files of a project."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import yaml
from msgspec import Struct

from tests.conformance.runner.inmanta_project import project_texts
from tests.fuzz.kept import DUMPS, STATE

__all__ = ["Project", "expressions", "projects"]

_TESTS: Final = Path(__file__).resolve().parents[1]
_CASES: Final = _TESTS / "conformance"
_EXAMPLES: Final = _TESTS.parent / "examples"
_LARGEST: Final = 60_000
"""Characters of a file; larger ones make slow inputs and no others."""
_MANIFEST: Final = "Format: MuranoPL/1.4\nType: Application\nFullName: conf.pkg\nName: a\nDescription: a\n"
_RESOURCES: Final = {
    "sabir.yaml": """\
name: demo
targets:
  here: {driver: local, root: world}
  other: {driver: local, root: elsewhere}
parts:
  files:
    language: resources
    inputs: {greeting: hello, password: {sensitive: hunter2-hunter2}}
    model:
      inputs: {greeting: {type: string}, password: {type: string, sensitive: true}}
      resources:
        etc: {kind: directory, fields: {path: etc, mode: "0755"}}
        motd:
          kind: file
          requires: [etc]
          fields: {path: etc/motd, content: {get_input: greeting}, mode: "0644"}
        logo: {kind: file, target: other, fields: {path: logo, content: {file: more/logo.txt}}}
        link: {kind: symlink, requires: [motd], fields: {path: link, to: etc/motd}}
        secret:
          kind: file
          reacts_to: [motd]
          retries: 2
          timeout: 10
          fields: {path: secret, content: {sensitive: {get_input: password}}}
        joined: {kind: file, fields: {path: joined, content: {eval: {concat: [a, {eval: ::motd::path}]}}}}
  more: {path: more/resources.yaml}
""",
    "more/resources.yaml": """\
sabir: resources/1
inputs:
  port: {type: integer, default: 80}
resources:
  unpacked: {kind: archive, fields: {path: unpacked, content: {file: logo.txt}}}
  server:
    kind: process
    prevent_destroy: true
    ignore_changes: [environment]
    fields: {name: server, run: [sleep, "60"], environment: {PORT: {get_input: port}}, log: server.log}
  hook: {kind: command, requires: [server], results: [address], fields: {run: [true], undo: [true], outputs: [address]}}
""",
    "more/logo.txt": "a logo\n",
    "plan.json": """\
{"format": "sabir.plan/1", "environment": "demo", "state": 0, "digest": "d", "checksum": "c", "steps": [{"address": "files/etc",
 "action": "create", "kind": "directory", "changes": [{"field": "path", "before": null, "after": "etc"}], "requires": []}]}
""",
    "state.json": STATE,
    "dump": DUMPS[1],
}


class Project(Struct, frozen=True):
    """`kind` groups those whose pieces fit into each other."""

    kind: str
    files: dict[str, str]
    start: str = ""
    """What the commands are given, below the folder of the project."""
    method: str = "deploy"
    """Which one `sabir run` calls, of the object `root`."""


def projects() -> list[Project]:
    return [*_cases(), *_folders(), *_graphs(), Project("resources", _RESOURCES)]


def expressions() -> list[str]:
    """Questions for `sabir query`."""
    written = (case.get("expr") for case in _entries("eval"))
    return [text if isinstance(text, str) else json.dumps(text) for text in written if text is not None]


def _entries(language: str) -> Iterator[dict[str, Any]]:
    for file in sorted((_CASES / language).glob("*.yaml")):
        entries = yaml.safe_load(file.read_text(encoding="utf-8"))
        yield from (case for case in entries if isinstance(case, dict))


def _cases() -> Iterator[Project]:
    for case in _entries("inmanta"):
        yield Project("inmanta", project_texts(_texts(case["files"])))
    for case in _entries("ccp"):
        if "tree" in case:
            yield Project("ccp", _texts(case["tree"]))
    for case in _entries("muranopl"):
        method = case.get("call", {}).get("method", "deploy")
        # The runner of the cases calls from inside, `sabir run` from outside.
        classes = re.sub(rf"(?m)^  {re.escape(method)}:\n", r"\g<0>    Scope: Public\n", case["classes"])
        yield Project("muranopl", _package(classes, case.get("model")), method=method)
    for case in _entries("yaql"):
        yield Project("muranopl", _method(case["expr"], case.get("data")))
    for case in _entries("eval"):
        if "expr" in case or "tosca" in case:
            yield Project("tosca", {**_texts(case.get("files", {})), "service.yaml": _template(case)})


def _texts(files: Any) -> dict[str, str]:
    """The files that are text; a case may describe others."""
    return {name: text for name, text in files.items() if isinstance(text, str)}


def _package(classes: str, model: Any) -> dict[str, str]:
    files: dict[str, str] = {}
    names: list[str] = []
    head = ""
    for number, document in enumerate(classes.split("\n---\n")):
        names_of = re.search(r"^Namespaces:\n(?:[ ].*\n)+", document, re.MULTILINE)
        head = names_of[0] if names_of else head  # those of the document before hold on
        text = document if names_of else head + document
        mine = re.search(r"^\s+['\"]?=['\"]?: *([\w.]+)", head, re.MULTILINE)
        space = mine[1] + "." if mine else ""
        name = re.search(r"^Name: *['\"]?([\w.]+)", text, re.MULTILINE)
        names.append(f"  {space}{name[1] if name else 'X'}: C{number}.yaml\n")
        files[f"Classes/C{number}.yaml"] = text
    files["manifest.yaml"] = _MANIFEST + "Classes:\n" + "".join(names)
    if model is not None:
        files["model.yaml"] = yaml.safe_dump(model)
    return files


def _method(expression: str, data: Any) -> dict[str, str]:
    body = yaml.safe_dump([{"$data": data}, {"Return": f"list($data).select({expression})"}])
    lines = "".join(f"      {line}\n" for line in body.splitlines())
    text = f"Name: Root\nMethods:\n  deploy:\n    Scope: Public\n    Body:\n{lines}"
    return _package(text, {"?": {"id": "root", "type": "Root"}})


def _template(case: dict[str, Any]) -> str:
    document = dict(case.get("tosca") or {"tosca_definitions_version": "tosca_simple_yaml_1_3"})
    topology = dict(document.get("topology_template") or {})
    topology["outputs"] = {"o": {"value": {"eval": case.get("expr")}}}
    document["topology_template"] = topology
    return yaml.safe_dump(document, sort_keys=False)


def _folders() -> Iterator[Project]:
    for folder in sorted((_CASES / "packages").glob("*/package")):
        yield Project("muranopl", _read(folder))
    for folder in sorted((_CASES / "mistakes" / "projects").iterdir()):
        if folder.is_dir():
            yield Project(folder.name, _read(folder))
    for folder in sorted((_CASES / "deploy-muranopl").glob("*/*/")):
        yield Project("muranopl", _read(folder))
    for folder in sorted((_CASES / "deploy-tosca").glob("*/")):
        yield Project("tosca", _read(folder), start="service.yaml")
    for case in sorted((_CASES / "deploy-inmanta").glob("*/case.yaml")):
        entry = yaml.safe_load(case.read_text(encoding="utf-8"))
        if isinstance(entry.get("model"), str):
            modules = {f"libs/{name}": text for name, text in _read(case.parent / "modules").items()}
            yield Project("inmanta", project_texts({**modules, "main.cf": entry["model"]}))
    for kind, place in (
        ("muranopl", "murano/hello"),
        ("inmanta", "inmanta/web"),
        ("ccp", "ccp/shop"),
        ("mixed", "shop"),
    ):
        yield Project(kind, _read(_EXAMPLES / place))


def _graphs() -> Iterator[Project]:
    for file in (_EXAMPLES / "graphs" / "shop.json", _TESTS / "graph" / "views" / "golden" / "sample.json"):
        yield Project("graph", {"graph.json": file.read_text(encoding="utf-8")}, start="graph.json")


def _read(folder: Path) -> dict[str, str]:
    files: dict[str, str] = {}
    for file in sorted(folder.rglob("*")):
        if file.is_file() and file.suffix not in (".png", ".zip", ".bin"):
            text = file.read_bytes().decode("utf-8", "surrogateescape")
            if len(text) <= _LARGEST:
                files[file.relative_to(folder).as_posix()] = text
    return files
