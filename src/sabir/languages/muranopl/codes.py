"""Codes of failed evaluations, with their documentation. The examples are packages with a model; tests evaluate them."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Example, Rule

__all__ = ["CODES"]

_ROOT: Final = "'?': {id: root, type: demo.Root}\n"


def _package(classes: str, model: str = _ROOT, *, manifest: str = "", name: str = "demo.Root") -> Example:
    return {
        "manifest.yaml": (
            f"Format: MuranoPL/1.4\nType: Library\nFullName: demo\nName: Demo\n{manifest}Classes:\n  {name}: Root.yaml\n"
        ),
        "Classes/Root.yaml": "Namespaces:\n  =: demo\n  std: io.murano\n\n" + classes,
        "model.yaml": model,
    }


def _init(*body: str, more: str = "") -> Example:
    """A class whose constructor has these lines, so that loading the model runs them."""
    lines = "".join(f"      {line}\n" for line in body)
    return _package(f"Name: Root\n\nMethods:\n  .init:\n    Body:\n{lines}{more}")


def _code(code: str, title: str, why: str, bad: Example, good: Example) -> Rule:
    return Rule(code=code, title=title, why=why, bad=bad, good=good, language="muranopl", when="evaluate")


_PROPERTY: Final = "Name: Root\n\nProperties:\n  port:\n    Contract: {contract}\n"
_PORT: Final = _PROPERTY.format(contract="$.int().notNull().check($ > 0)")
_PLAIN: Final = "Name: Root\n"
_IN: Final = (
    "Name: Root\n\nMethods:\n  .init:\n    Body:\n      - new(Part).write()\n---\n"
    "Name: Part\n\nProperties:\n  n:\n    Contract: $.int()\n    Usage: {usage}\n\n"
    "Methods:\n  write:\n    Body:\n      - $.n: 1\n"
)
_TWO: Final = "Name: Left\n{left}\n---\nName: Right\n{right}\n---\nName: Root\nExtends: [Left, Right]\n{root}"
_METHOD: Final = "Methods:\n  who:\n    Body:\n      Return: 1\n"
_VALUE: Final = "Properties:\n  v:\n    Contract: $.int()\n"
_REFERENCE: Final = "Name: Root\n\nProperties:\n  next:\n    Contract: $.class(Root)\n"
_DEFAULTS: Final = "Name: Root\n\nProperties:\n  a:\n    Contract: $.int()\n    Default: $.b\n  b:\n    Contract: $.int()\n    Default: {b}\n"

_DESTROYED: Final = (
    "Name: Root\n\nProperties:\n  part:\n    Contract: $.class(Part)\n---\n"
    "Name: Part\nMethods:\n  .destroy:\n    Body:\n      {body}\n"
)
_VANISHED: Final = (
    "Objects: {'?': {id: root, type: demo.Root}}\n"
    "ObjectsCopy: {'?': {id: root, type: demo.Root}, part: {'?': {id: p, type: demo.Part}}}\n"
)

CODES: Final[tuple[Rule, ...]] = (
    _code(
        "MRUN:E001",
        "a declaration or an instruction of the wrong form",
        "A class file that cannot be read as it stands is not run at all; the message names the key and what may stand there.",
        _package("Name: Root\n\nProperties: 5\n"),
        _package(_PLAIN),
    ),
    _code(
        "MRUN:E002",
        "a contract of the wrong form",
        "A contract is a chain of int(), string(), bool(), class(), template(), notNull(), check(), owned() and notOwned(), "
        "or a list or dictionary of contracts.",
        _package(_PROPERTY.format(contract="$.integer()")),
        _package(_PROPERTY.format(contract="$.int()")),
    ),
    _code(
        "MRUN:E004",
        "a name that is given twice",
        "Class names are unique in a package, argument names in a method; otherwise one of the two would silently be lost.",
        _package("Name: Root\n---\nName: Root\n"),
        _package("Name: Root\n---\nName: Other\n"),
    ),
    _code(
        "MRUN:E005",
        "a class that does not exist",
        "A class is looked up in its own package, in those that Require names, and in the core library. Check the spelling, "
        "the prefix in Namespaces, and Require.",
        _package("Name: Root\nExtends: Nowhere\n"),
        _package("Name: Root\nExtends: std:Object\n"),
    ),
    _code(
        "MRUN:E006",
        "a package or a file of it that is missing",
        "The manifest names what a package needs: class files below Classes/, and other packages in Require.",
        _package(_PLAIN, manifest="Require:\n  demo.other: 1\n"),
        _package(_PLAIN),
    ),
    _code(
        "MRUN:E010",
        "a value that does not conform to its contract",
        "Contracts convert where they can and refuse the rest, before any code sees the value. The place inside the value "
        "stands in brackets; the related places show the value and the contract.",
        _package(_PORT, _ROOT + "port: high\n"),
        _package(_PORT, _ROOT + "port: '8080'\n"),
    ),
    _code(
        "MRUN:E011",
        "a property that the code may not write",
        "Properties of usage In and Const belong to the user; beside the user only the constructor of their object sets them. "
        "Results of a workflow need Out or InOut, and only code of the class itself, its ancestors and descendants may write "
        "them.",
        _package(_IN.format(usage="In")),
        _package(_IN.format(usage="Out")),
    ),
    _code(
        "MRUN:E012",
        "reading a property that a class does not declare",
        "Other classes see only what a class declares; what it wrote without declaring it is private to it.",
        _init("- $x: new(Other).secret", more="---\nName: Other\n"),
        _init("- $x: new(Other).v", more="---\nName: Other\n" + _VALUE),
    ),
    _code(
        "MRUN:E013",
        "writing a property that a class does not declare",
        "Only a class itself can have private properties; give it a declared property or a method instead.",
        _init("- $x: new(Other)", "- $x.secret: 1", more="---\nName: Other\n"),
        _init("- $.secret: 1"),
    ),
    _code(
        "MRUN:E014",
        "a property that has no value yet",
        "A private property must be written before it is read; a contract can look at other properties but not at its own.",
        _init("- $x: $.secret"),
        _init("- $.secret: 1", "- $x: $.secret"),
    ),
    _code(
        "MRUN:E015",
        "a method that two unrelated parents define",
        "Methods are chosen by overriding, not by the order of parents: override the method in the class, or choose a "
        "parent with cast.",
        _package(
            _TWO.format(left=_METHOD, right=_METHOD, root="Methods:\n  .init:\n    Body:\n      - $.who()\n")
        ),
        _package(
            _TWO.format(left=_METHOD, right="", root="Methods:\n  .init:\n    Body:\n      - $.who()\n")
        ),
    ),
    _code(
        "MRUN:E016",
        "a property that two unrelated parents declare",
        "It would be unclear which contract and default count. Declare the property in the class itself, or rename one.",
        _package(_TWO.format(left=_VALUE, right=_VALUE, root="")),
        _package(_TWO.format(left=_VALUE, right="", root="")),
    ),
    _code(
        "MRUN:E017",
        "an object id that is nowhere in the model",
        "A text under a class contract is the id of an object, which must be defined somewhere in the same model.",
        _package(_REFERENCE, _ROOT + "next: ghost\n"),
        _package(_REFERENCE, _ROOT + "next: root\n"),
    ),
    _code(
        "MRUN:E018",
        "a class has no static property of this name",
        "Without an object only static properties can be reached; declare it with `Usage: Static`.",
        _init("- $x: :Root.v"),
        _package(
            "Name: Root\n\nProperties:\n  v:\n    Contract: $.int()\n    Usage: Static\n\n"
            "Methods:\n  .init:\n    Body:\n      - $x: :Root.v\n"
        ),
    ),
    _code(
        "MRUN:E020",
        "defaults that need each other",
        "Defaults may use other properties in any order, but not in a circle: then none of them has a value.",
        _package(_DEFAULTS.format(b="$.a")),
        _package(_DEFAULTS.format(b="1")),
    ),
    _code(
        "MRUN:E021",
        "Break, Continue or Rethrow at the wrong place",
        "Break and Continue belong to a loop of the same method, Rethrow to a Catch block.",
        _init("- Break:"),
        _init("- While: 1 = 1", "  Do:", "    - Break:"),
    ),
    _code(
        "MRUN:E022",
        "an exception that nobody caught",
        "Code stopped on purpose with Throw. The stack shows the way from the first call to the place; Catch it, or mend "
        "what it complains about.",
        _init("- Throw: tooSmall", "  Message: three nodes are needed"),
        _init("- Try:", "    - Throw: tooSmall", "  Catch:", "    With: tooSmall"),
    ),
    _code(
        "MRUN:E023",
        "a method that does not exist or cannot be called so",
        "Arguments are given by position or name; too many, unknown or doubled ones are refused. Calls from outside reach only "
        "methods with `Scope: Public` or `Usage: Action`.",
        _init("- $.f(1, 2)", more="  f:\n    Arguments:\n      - a:\n          Contract: $\n"),
        _init("- $.f(1)", more="  f:\n    Arguments:\n      - a:\n          Contract: $\n"),
    ),
    _code(
        "MRUN:E024",
        "a constant property that changed since the last run",
        "Once a workflow has run, a property of usage Const keeps its value. Put the old value back, or make a new object.",
        _package(
            "Name: Root\n\nProperties:\n  v:\n    Contract: $.int()\n    Usage: Const\n",
            "Objects: {'?': {id: root, type: demo.Root}, v: 2}\nObjectsCopy: {'?': {id: root, type: demo.Root}, v: 1}\n",
        ),
        _package(
            "Name: Root\n\nProperties:\n  v:\n    Contract: $.int()\n    Usage: Const\n",
            "Objects: {'?': {id: root, type: demo.Root}, v: 1}\nObjectsCopy: {'?': {id: root, type: demo.Root}, v: 1}\n",
        ),
    ),
    _code(
        "MRUN:E025",
        "two objects with one id",
        "An id is how references find an object, so it must be unique in the model.",
        _package(_REFERENCE, _ROOT + "next: {'?': {id: root, type: demo.Root}}\n"),
        _package(_REFERENCE, _ROOT + "next: {'?': {id: other, type: demo.Root}}\n"),
    ),
    _code(
        "MRUN:E026",
        "an object model of the wrong form",
        "A model is a mapping whose '?' entry has the id and the type of the root object; each object inside it has one, too.",
        _package(_PLAIN, "'?': {id: root}\n"),
        _package(_PLAIN),
    ),
    _code(
        "MRUN:E027",
        "an expression that failed",
        "The place shows the part of the expression at fault: a function that takes other arguments, a missing key, a "
        "division by zero.",
        _init("- $x: 1 / 0"),
        _init("- $x: 1 / 1"),
    ),
    _code(
        "MRUN:E028",
        "a limit of the run was reached",
        "A run is bounded in steps, in time and in the depth of calls, so that a mistake cannot hang it. Most often a loop "
        "does not end; --step-limit and --time-limit raise the bounds.",
        _init("- $.again()", more="  again:\n    Body:\n      - $.again()\n"),
        _init("- $.again()", more="  again:\n"),
    ),
    _code(
        "MRUN:E029",
        "branches of Parallel wait for each other",
        "Two branches never run the same method of one object at the same time. When each holds what the other wants, none "
        "can go on; call the methods in the same order everywhere.",
        _init(
            "- $a: new(Node)",
            "- $b: new(Node)",
            "- Parallel:",
            "    - $a.hold($b)",
            "    - $b.hold($a)",
            more="---\nName: Node\nMethods:\n  hold:\n    Arguments:\n      - other:\n          Contract: $.class(Node)\n"
            "    Body:\n      - sleep(0.01)\n      - If: $other != null\n        Then: $other.hold(null)\n",
        ),
        _init(
            "- $a: new(Node)",
            "- Parallel:",
            "    - $a.hold(null)",
            "    - $a.hold(null)",
            more="---\nName: Node\nMethods:\n  hold:\n    Arguments:\n      - other:\n          Contract: $.class(Node)\n"
            "    Body:\n      - sleep(0.01)\n",
        ),
    ),
    _code(
        "MRUN:E030",
        "a method that needs a cloud",
        "Classes for stacks, agents, networks and machines are declared, so that packages load and compile; their methods "
        "work only in a deployment that connects a cloud.",
        _init("- new('io.murano.system.HeatStack', $this).push()"),
        _init("- new('io.murano.system.HeatStack', $this)"),
    ),
    _code(
        "MRUN:E032",
        "a value that cannot be used this way",
        "An instruction or a function got a value it can do nothing with: a loop over a number, a negative Limit, an index "
        "into a text.",
        _init("- For: x", "  In: (5)", "  Do: $.f($x)", more="  f:\n"),
        _init("- For: x", "  In: [5]", "  Do: new(Root2)", more="---\nName: Root2\n"),
    ),
    _code(
        "MRUN:W001",
        "a value for a property that the class does not declare",
        "It is ignored, so a misspelt name looks as if the value had no effect.",
        _package(_PORT, _ROOT + "port: 1\nprot: 2\n"),
        _package(_PORT, _ROOT + "port: 1\n"),
    ),
    _code(
        "MRUN:W002",
        "a key that a dictionary contract drops",
        "A contract that names the keys of a dictionary keeps those only. Add the key to the contract, or let it take others "
        "with `$.string().notNull(): $`.",
        _package(
            "Name: Root\n\nProperties:\n  d:\n    Contract:\n      a: $.int()\n", _ROOT + "d: {a: 1, b: 2}\n"
        ),
        _package("Name: Root\n\nProperties:\n  d:\n    Contract:\n      a: $.int()\n", _ROOT + "d: {a: 1}\n"),
    ),
    _code(
        "MRUN:W003",
        "a destructor that failed",
        "What vanished from the model is destroyed before the run, and one failing `.destroy` must not keep the others from "
        "releasing what they hold. Whatever this object held may still be there.",
        _package(_DESTROYED.format(body="- Throw: stuck"), _VANISHED),
        _package(_DESTROYED.format(body="- $x: 1"), _VANISHED),
    ),
)
