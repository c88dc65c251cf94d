"""How a rule of the language is written down, and what several of its examples begin with."""

from __future__ import annotations

from typing import Unpack

from sabir.diagnostics.rules import Rule, RuleOptions

__all__ = ["FILES", "HOST", "MODULE", "PLUGIN_TEXT", "inmanta_rule"]

HOST = "entity Host:\n    string name\nend\nimplement Host using std::none\n"
FILES = (
    "entity Host:\nend\nentity File:\nend\nimplement Host using std::none\nimplement File using std::none\n"
    "Host.files [0:] -- File\n"
)
MODULE = {"libs/net/module.yml": "name: net\nversion: 1.0\nlicense: x\n", "libs/net/model/_init.cf": ""}
PLUGIN_TEXT = 'from inmanta.plugins import plugin\n\n\n@plugin\ndef half(number: "int") -> "int":\n'


def inmanta_rule(
    code: str,
    title: str,
    why: str,
    bad: str | dict[str, str],
    good: str | dict[str, str],
    **options: Unpack[RuleOptions],
) -> Rule:
    """A rule whose examples are files of a project, or the text of its `main.cf`."""
    bad, good = ({"main.cf": files} if isinstance(files, str) else files for files in (bad, good))
    return Rule(code=code, title=title, why=why, bad=bad, good=good, language="inmanta", **options)
