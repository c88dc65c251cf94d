"""Small packages with a model, which show what a run reports: tests evaluate them."""

from __future__ import annotations

from typing import Final, Unpack

from sabir.diagnostics.rules import Example, Rule, RuleOptions

__all__ = [
    "METHOD",
    "MODEL",
    "PLAIN",
    "PORT",
    "PROPERTY",
    "REFERENCE",
    "TWO_PARENTS",
    "VALUE",
    "init_package",
    "run_package",
    "run_rule",
]

MODEL: Final = "'?': {id: root, type: demo.Root}\n"
PROPERTY: Final = "Name: Root\n\nProperties:\n  port:\n    Contract: {contract}\n"
PORT: Final = PROPERTY.format(contract="$.int().notNull().check($ > 0)")
PLAIN: Final = "Name: Root\n"
TWO_PARENTS: Final = (
    "Name: Left\n{left}\n---\nName: Right\n{right}\n---\nName: Root\nExtends: [Left, Right]\n{root}"
)
METHOD: Final = "Methods:\n  who:\n    Body:\n      Return: 1\n"
VALUE: Final = "Properties:\n  v:\n    Contract: $.int()\n"
REFERENCE: Final = "Name: Root\n\nProperties:\n  next:\n    Contract: $.class(Root)\n"


def run_package(classes: str, model: str = MODEL, *, manifest: str = "", name: str = "demo.Root") -> Example:
    return {
        "manifest.yaml": (
            f"Format: MuranoPL/1.4\nType: Library\nFullName: demo\nName: Demo\n{manifest}Classes:\n  {name}: Root.yaml\n"
        ),
        "Classes/Root.yaml": "Namespaces:\n  =: demo\n  std: io.murano\n\n" + classes,
        "model.yaml": model,
    }


def init_package(*body: str, more: str = "") -> Example:
    """A class whose constructor has these lines, so that loading the model runs them."""
    lines = "".join(f"      {line}\n" for line in body)
    return run_package(f"Name: Root\n\nMethods:\n  .init:\n    Body:\n{lines}{more}")


def run_rule(
    code: str, title: str, why: str, bad: Example, good: Example, **options: Unpack[RuleOptions]
) -> Rule:
    options.setdefault("when", "evaluate")
    return Rule(code=code, title=title, why=why, bad=bad, good=good, language="muranopl", **options)
