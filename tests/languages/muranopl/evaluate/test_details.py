"""Details of the language that the tests of the existing engine ask for."""

from __future__ import annotations

import pytest

from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.parallel import Scheduler
from sabir.languages.muranopl.model.errors import MuranoError
from tests.languages.muranopl.packages import load

ROOT = {"?": {"id": "root", "type": "demo.Root"}}
HEAD = "Namespaces: {=: demo, sys: io.murano.system}\n"


def call(classes: str, method: str = "run") -> object:
    session = load(HEAD + classes, ROOT)
    return session.call(session.find_object("root"), method)


PARTS = """\
Name: Base
Properties:
  a: {Contract: $.int(), Default: 1}
---
Name: Part
Extends: Base
Properties:
  b: {Contract: $.int(), Default: 2}
---
"""


@pytest.mark.parametrize(
    ("arguments", "names", "cls"),
    [
        ("$x", {"a", "b"}, "demo.Part"),
        ("cast($x, Base)", {"a", "b"}, "demo.Part"),
        ("cast($x, Base), Serializable, true", {"a", "b"}, "demo.Part"),
        ("cast($x, Base), Serializable, false", {"a"}, "demo.Base"),
    ],
)
def test_dump_of_a_cast_object(arguments: str, names: set[str], cls: str) -> None:
    dumped = call(
        PARTS
        + f"Name: Root\nMethods:\n  run:\n    Body:\n      - $x: new(Part)\n      - Return: dump({arguments})\n"
    )
    assert isinstance(dumped, dict)
    assert set(dumped) - {"?"} == names
    assert dumped["?"]["type"].startswith(cls)


BROKEN = """\
Name: Root
Methods:
  run: {Body: [Return: 1]}
  broken:
    Arguments: [a: {Contract: {$.int(): $, $.string(): $}}]
    Body: [Return: 1]
"""


def test_an_unusable_contract_of_an_argument_fails_its_method_alone() -> None:
    assert call(BROKEN) == 1
    session = load(HEAD + BROKEN, ROOT)
    with pytest.raises(MuranoError, match="one key at most"):
        session.call(session.find_object("root"), "broken", [{1: 2}])


@pytest.mark.parametrize("name", ["NoMatchingMethodException", "NoMethodFound"])
def test_wrong_arguments_are_caught_by_either_name(name: str) -> None:
    body = f"      - Try: [$.f(1)]\n        Catch: {{With: {name}, Do: [Return: caught]}}\n"
    assert call(f"Name: Root\nMethods:\n  f: {{Body: []}}\n  run:\n    Body:\n{body}") == "caught"


def test_a_descendant_may_leave_properties_out_of_a_template() -> None:
    classes = (
        "Name: Need\nProperties:\n  x: {Contract: $.int().notNull()}\n---\n"
        "Name: Parent\nProperties:\n  t: {Contract: $.template('io.murano.Object')}\n---\n"
        "Name: Root\nExtends: Parent\nProperties:\n  t:\n    Contract: $.template(Need, excludeProperties => [x])\n"
    )
    root = load(HEAD + classes, {**ROOT, "t": {}}).find_object("root")
    assert root.properties["t"]["?"]["type"] == "demo.Need"


def test_a_logger_needs_no_name() -> None:
    assert (
        call("Name: Root\nMethods:\n  run:\n    Body:\n      Return: new(sys:Logger) is sys:Logger\n") is True
    )


def test_with_a_limit_branches_that_began_together_end_together() -> None:
    scheduler, steps = Scheduler(RunLimits(), sleeps=False), list[str]()

    def branch() -> None:
        steps.append("enter")
        scheduler.wait(1)
        steps.append("exit")

    scheduler.run_all([branch] * 3, 2)
    assert steps == ["enter", "enter", "exit", "exit", "enter", "exit"]


def test_a_loop_that_keeps_everything_ends_at_the_memory() -> None:
    body = "      - $s: '0123456789'\n      - Repeat: 15\n        Do:\n          - $s: $s + $s\n"
    body += "      - $i: 0\n      - While: 1 = 1\n        Do:\n"
    body += "          - $i: $i + 1\n          - $.setAttr(format('a{0}', $i), $s + str($i))\n"
    session = load(
        HEAD + "Name: Root\nMethods:\n  run:\n    Body:\n" + body,
        ROOT,
        RunLimits(memory=50_000_000, steps=100_000),
    )
    with pytest.raises(MuranoError, match="GB of memory"):
        session.call(session.find_object("root"), "run")
