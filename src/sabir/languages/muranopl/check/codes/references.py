"""Codes of class files: names that lead nowhere."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check.codes.examples import LIBRARY, code, with_class

__all__ = ["CODES"]

_RESOURCE_CLASS: Final = """\
Namespaces:
  =: com.example.tools
  sys: io.murano.system

Name: Counter

Methods:
  script:
    Body:
      - $resources: new(sys:Resources)
      - Return: $resources.string('run.sh')
"""

CODES: Final[tuple[Rule, ...]] = (
    code(
        "MPL:E110",
        "an undeclared namespace prefix",
        "Every prefix is declared under Namespaces of the class file.",
        with_class("Extends: std:Object", "Extends: sdt:Object"),
        fixable=True,
    ),
    code(
        "MPL:E111",
        "a class that does not exist",
        "The class belongs to a namespace of this package or of the core library, but neither has it. Classes of other "
        "packages are not reported here.",
        with_class("Extends: std:Object", "Extends: std:Objekt"),
        fixable=True,
    ),
    code(
        "MPL:E112",
        "a call of a method that does not exist",
        "Neither the class nor any class it extends has the method, and it is no function of the language.",
        with_class("$.next(1)", "$.nxet(1)"),
        fixable=True,
    ),
    code(
        "MPL:E113",
        "a read of a property that does not exist",
        "The property is neither declared in the class or a class it extends, nor does any method assign it.",
        with_class("$.start + $step", "$.strat + $step"),
        fixable=True,
    ),
    code(
        "MPL:E114",
        "a call with the wrong arguments",
        "There are more values than the method has arguments, a required one is missing, or a name is not among them.",
        with_class("step => 1", "setp => 1"),
        fixable=True,
    ),
    code(
        "MPL:E116",
        "a resource file that does not exist",
        "Files that the code reads through io.murano.system.Resources lie below Resources/ of the package.",
        {**LIBRARY, "Classes/Counter.yaml": _RESOURCE_CLASS, "Resources/rnu.sh": "true\n"},
        good={**LIBRARY, "Classes/Counter.yaml": _RESOURCE_CLASS, "Resources/run.sh": "true\n"},
        fixable=True,
    ),
    code(
        "MPL:E117",
        "a class that extends itself",
        "Following Extends leads back to the class; the engine cannot load any class of the circle.",
        with_class("Extends: std:Object", "Extends: Counter"),
    ),
    code(
        "MPL:W118",
        "a default that breaks its own contract",
        "An object that does not set the property cannot be created. The default is a constant, so this is certain.",
        with_class("    Default: 0", "    Default: none"),
    ),
)
