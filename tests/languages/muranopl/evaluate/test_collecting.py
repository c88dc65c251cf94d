"""`GC.collect`: what running code holds stays, in every method and every branch that has not ended."""

from __future__ import annotations

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparing import prepare
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

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
    prepared = prepare(
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
