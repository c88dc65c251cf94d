"""`GC.collect`: what running code holds stays, in every method and every branch that has not ended."""

from __future__ import annotations

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files, load

CLASSES = """\
  sys: io.murano.system
Name: Root
Properties:
  ended: {Contract: [$.string()], Usage: Out}
Methods:
  outer:
    Body:
      - $held: new(Node, root => $this, label => held)
      - new(Node, root => $this, label => dropped)
      - $.inner()
      - Return: $held.label
  inner:
    Body:
      - sys:GC.collect()
  branches:
    Body:
      - Parallel:
          - $.waits()
          - Do:
              - sleep(1)
              - sys:GC.collect()
  waits:
    Body:
      - $held: list(new(Node, root => $this, label => waiting))
      - sleep(2)
      - $.note($held[0].label + ' lives')
  note:
    Arguments:
      - label: {Contract: $.string().notNull()}
    Body:
      - $.ended: $.ended + [$label]
---
Name: Node
Properties:
  root: {Contract: $.class(Root)}
  label: {Contract: $.string()}
Methods:
  .destroy:
    Body:
      - $.root.note($.label)
"""


def _ended(method: str) -> list[str]:
    prepared = prepare_run(
        MemoryPackage(files(CLASSES, "'?': {id: root, type: demo.Root}\n")), EvaluationRequest()
    )
    session = prepared.session
    assert session is not None, prepared.findings
    root = session.runtime.root
    assert root is not None
    session.call(root, method)
    ended: list[str] = root.properties["ended"]
    return ended


def test_what_the_calling_method_holds_stays() -> None:
    assert _ended("outer") == ["dropped"]


def test_what_another_branch_holds_stays() -> None:
    assert _ended("branches") == ["waiting lives"]


def test_owners_are_told_of_before_their_parts() -> None:
    session = load(
        "Namespaces: {sys: io.murano.system, std: io.murano}\nName: Root\nProperties:\n"
        "  log: {Contract: [$.string()], Usage: Runtime, Default: []}\n"
        "Methods:\n  _gone:\n    Arguments:\n      - part: {Contract: $.class(Part).notNull()}\n"
        "    Body:\n      - $.log: $.log + [$part.name]\n"
        "  run:\n    Body:\n      - $x: new(Part, name => outer, inner => dict(name => inner))\n"
        "      - sys:GC.subscribeDestruction($x.inner, $this, _gone)\n"
        "      - sys:GC.subscribeDestruction($x, $this, _gone)\n"
        "      - $x: null\n      - sys:GC.collect()\n      - Return: $.log\n"
        "---\nName: Part\nProperties:\n  name: {Contract: $.string()}\n  inner: {Contract: $.class(Part)}\n",
        {"?": {"type": "Root", "id": "root"}},
    )
    assert session.runtime.root is not None
    assert session.call(session.runtime.root, "run") == ["outer", "inner"]
