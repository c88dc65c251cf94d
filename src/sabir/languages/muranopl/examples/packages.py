"""Two small packages from which the examples of the rules of a check are made by changing one thing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, Unpack

from sabir.diagnostics.rules import Example, Rule, RuleOptions

__all__ = [
    "APPLICATION",
    "LIBRARY",
    "changed",
    "package_rule",
    "ui_rule",
    "with_body",
    "with_class",
    "with_manifest",
    "with_ui",
]

LIBRARY: Final[Example] = {
    "manifest.yaml": """\
Format: MuranoPL/1.4
Type: Library
FullName: com.example.tools
Name: Tools
Version: 1.2.0
Tags: [tools]
Classes:
  com.example.tools.Counter: Counter.yaml
""",
    "LICENSE": "Apache-2.0\n",
    "Classes/Counter.yaml": """\
Namespaces:
  =: com.example.tools
  std: io.murano

Name: Counter

Extends: std:Object

Properties:
  start:
    Contract: $.int().notNull()
    Default: 0
  last:
    Contract: $.int()
    Usage: Out

Methods:
  next:
    Arguments:
      - step:
          Contract: $.int().notNull()
          Default: 1
    Body:
      - $.last: $.start + $step
      - Return: $.last

  twice:
    Body:
      - $first: $.next(1)
      - Return: $first + $.next(step => 1)
""",
}

APPLICATION: Final[Example] = {
    "manifest.yaml": """\
Format: MuranoPL/1.4
Type: Application
FullName: com.example.web.Site
Name: Site
Classes:
  com.example.web.Site: Site.yaml
""",
    "LICENSE": "Apache-2.0\n",
    "Classes/Site.yaml": """\
Namespaces:
  =: com.example.web
  std: io.murano

Name: Site

Extends: std:Application

Properties:
  title:
    Contract: $.string().notNull()
""",
    "UI/ui.yaml": """\
Version: 2.3

Application:
  ?:
    type: com.example.web.Site
  title: $.main.title

Forms:
  - main:
      fields:
        - name: title
          type: string
          label: Title
          required: true
          maxLength: 80
""",
}

_LAST_STATEMENT: Final = "      - Return: $first + $.next(step => 1)\n"


def changed(package: Example, file: str, old: str, new: str) -> Example:
    """The package with one text of one file replaced."""
    if old not in package[file]:
        raise ValueError(f"{old!r} is not in {file}")
    return {**package, file: package[file].replace(old, new, 1)}


def with_manifest(old: str, new: str, *, more: Mapping[str, str] | None = None) -> Example:
    return {**changed(LIBRARY, "manifest.yaml", old, new), **(more or {})}


def with_class(old: str, new: str) -> Example:
    return changed(LIBRARY, "Classes/Counter.yaml", old, new)


def with_body(*lines: str) -> Example:
    """The library with other last statements in its method `twice`."""
    return with_class(_LAST_STATEMENT, "".join(f"      {line}\n" for line in lines))


def with_ui(old: str, new: str) -> Example:
    return changed(APPLICATION, "UI/ui.yaml", old, new)


def package_rule(
    code: str,
    title: str,
    why: str,
    bad: Example,
    *,
    good: Example = LIBRARY,
    **options: Unpack[RuleOptions],
) -> Rule:
    return Rule(code=code, title=title, why=why, bad=bad, good=good, language="muranopl", **options)


def ui_rule(code: str, title: str, why: str, bad: Example, **options: Unpack[RuleOptions]) -> Rule:
    return package_rule(code, title, why, bad, good=APPLICATION, **options)
