"""Members of objects whose class is told by contracts, `new`, assignments, loops and returns."""

from __future__ import annotations

import pytest

from sabir.operations.check import check_package
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import MANIFEST

CLASSES = """\
Namespaces:
  =: demo
  std: io.murano
  res: io.murano.resources
  sys: io.murano.system
---
Name: Base
Properties:
  label: {{Contract: $.string()}}
Methods:
  named: {{Body: [Return: $.label]}}
---
Name: Disk
Extends: Base
Properties:
  size: {{Contract: $.int()}}
Methods:
  grow:
    Arguments:
      - by: {{Contract: $.int().notNull()}}
      - slowly: {{Contract: $.bool(), Default: false}}
    Body: [Return: $.size]
---
Name: FastDisk
Extends: Disk
Methods:
  trim: {{Body: []}}
---
Name: Root
Properties:
  disk: {{Contract: $.class(Disk).notNull()}}
  disks: {{Contract: [$.class(Disk)]}}
  host: {{Contract: $.class(res:Instance)}}
  anything: {{Contract: $}}
Methods:
  .init:
    Body:
      - $._files: new(sys:Resources)
  first: {{Body: [Return: $.disks.first()]}}
  either:
    Body:
      - If: $.anything
        Then: [Return: $.disk]
      - Return: $.host
  run:
    Arguments:
      - given: {{Contract: $.class(Disk)}}
      - rest: {{Contract: $.class(Disk), Usage: VarArgs}}
    Body:
      - $local: $.disk
      - $mixed: $.disk
      - $mixed: $.host
      - For: item
        In: $.disks
        Do:
          - $item.grow(1)
          - {loop}
      - Try: [$.first()]
        Catch:
          As: e
          Do: [$e.whatever()]
      - {statement}
"""


def codes(statement: str, loop: str = "$item.grow(2)") -> list[tuple[str, str | None]]:
    files = {
        "manifest.yaml": MANIFEST.replace(
            "  demo.Root: Root.yaml",
            "".join(f"  demo.{name}: Root.yaml\n" for name in ("Base", "Disk", "FastDisk", "Root")),
        ),
        "Classes/Root.yaml": CLASSES.format(statement=statement, loop=loop),
        "Resources/there.txt": "",
    }
    report = check_package(MemoryPackage(files))
    return [
        (finding.code, finding.hint)
        for _, finding in report.findings()
        if finding.code
        in {"MPL:E112", "MPL:E113", "MPL:E114", "MPL:E115", "MPL:E116", "MPL:E111", "MPL:W202"}
    ]


@pytest.mark.parametrize(
    ("statement", "code", "near"),
    [
        ("$.disk.gorw(1)", "MPL:E112", "grow"),
        ("$.disk?.gorw(1)", "MPL:E112", "grow"),
        ("$this.disk.gorw(1)", "MPL:E112", "grow"),
        ("$given.gorw(1)", "MPL:E112", "grow"),
        ("$local.gorw(1)", "MPL:E112", "grow"),
        ("$.first().gorw(1)", "MPL:E112", "grow"),
        ("$.disks[0].gorw(1)", "MPL:E112", "grow"),
        ("$.disks.where($.size > 1).first().gorw(1)", "MPL:E112", "grow"),
        ("$.disks.select($.gorw(1))", "MPL:E112", "grow"),
        ("$.disks.where($.siez > 1)", "MPL:E113", "size"),
        ("new(Disk).gorw(1)", "MPL:E112", "grow"),
        ("$.find(Disk).gorw(1)", "MPL:E112", "grow"),
        ("cast($.anything, Disk).gorw(1)", "MPL:E112", "grow"),
        ("$.host.deplyo()", "MPL:E112", "deploy"),
        ("$.disk.siez", "MPL:E113", "size"),
        ("$.disk.lable", "MPL:E113", "label"),
        ("$.disk.grow(1, true, 3)", "MPL:E114", None),
        ("$.disk.grow()", "MPL:E114", None),
        ("$.disk.grow(1, slwoly => true)", "MPL:E114", "slowly"),
        ("new(Disk, sizze => 1)", "MPL:E114", "size"),
        ("formta('{0}', 1)", "MPL:E115", "format"),
        ("either()", "MPL:E115", None),
        ("$._files.string('three.txt')", "MPL:E116", "there.txt"),
        ("new(sys:Resources).string('three.txt')", "MPL:E116", "there.txt"),
    ],
)
def test_a_slip_on_a_value_whose_class_is_known(statement: str, code: str, near: str | None) -> None:
    ((found, hint),) = codes(statement)
    assert found == code
    assert near is None or hint == f"did you mean {near!r}?"


def test_a_slip_on_the_variable_of_a_loop() -> None:
    assert codes("$.run()", "$item.gorw(1)") == [("MPL:E112", "did you mean 'grow'?")]


@pytest.mark.parametrize(
    "statement",
    [
        "$.disk.grow(1)",
        "$.disk.grow(by => 1, slowly => true)",
        "$.disk.named()",
        "$.disk.trim()",  # of an heir
        "$.disk.getAttr(a)",
        "$.disk.toList()",
        "$.anything.whatever()",
        "$mixed.whatever()",
        "$.either().whatever()",
        "$rest.whatever()",
        "$.disks.select($.grow(1)).select($.anything)",
        "let(local => $.anything) -> $local.whatever()",
        "def(double, $ * 2) -> double(2)",
        "$.host.setCustomUserData('x')",  # of an heir in the core library
        "$.disks.len()",
        "$._files.string('there.txt')",
        "new(Disk, label => a, size => 1)",
        "$.disks.size",
    ],
)
def test_no_finding_where_nothing_is_wrong(statement: str) -> None:
    assert codes(statement) == []
