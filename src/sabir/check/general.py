"""The general codes that the framework itself reports, with their documentation.

Codes of a language are registered by the language; these belong to nobody. The numbers up to E009 are those of the package
checker's code list, the nine hundreds are about checking itself.
"""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule

__all__ = ["FORM_CODES", "FRAMEWORK_CODES", "GENERAL_CODES"]

FORM_CODES: Final = (
    Rule(
        code="E002",
        title="file is not readable as YAML",
        why="Nothing in the file can be used until it parses, so nothing else is said about it. Mend the place that is shown, "
        "or the line before it: a bracket or quote left open, a tab in the indentation, a `: ` inside plain text, or a tag "
        "that is not known here.",
        bad={"example.yaml": "ports: [80, 443\nname: web\n"},
        good={"example.yaml": "ports: [80, 443]\nname: web\n"},
    ),
    Rule(
        code="E003",
        title="file is not UTF-8 text",
        why="Descriptions are UTF-8 wherever they are read, so another encoding would change names and texts on the way. "
        "Save the file as UTF-8; `iconv -f latin1 -t utf-8` does it in a shell.",
        bad={"example.yaml": "name: caf\udce9\n"},
        good={"example.yaml": "name: café\n"},
    ),
    Rule(
        code="E004",
        title="YAML that expands or nests without bound",
        why="Aliases that multiply, an alias that contains itself, or hundreds of levels of nesting exhaust the memory of "
        "whoever reads the file. Write the data out, or nest it less.",
        bad={"example.yaml": "self: &self\n  again: *self\n"},
        good={"example.yaml": "self: &self\n  again: no\nother: *self\n"},
    ),
    Rule(
        code="E006",
        title="key given twice in one mapping",
        why="YAML readers silently keep the last one, so the first value is lost without anybody noticing. Remove one of the "
        "two, or give it the name it was meant to have.",
        bad={"example.yaml": "name: web\nport: 80\nname: web\n"},
        good={"example.yaml": "name: web\nport: 80\n"},
        fixable=True,
    ),
    Rule(
        code="E901",
        title="part of the package cannot be read",
        why="A file that may not be opened, an encrypted or damaged member of an archive, a pipe or a device: its content is "
        "unknown, so nothing is said about it. Allow reading it, pack the archive anew, or take it out.",
        bad={"broken.zip": "a member that is encrypted"},
        good={"example.yaml": "name: web\n"},
    ),
)

_CONTAINER_CODES: Final = (
    Rule(
        code="E008",
        title="archive member or link leads out of the package",
        why="Unpacking a member whose name is absolute or climbs out with `..`, or following a symlink, would read or write "
        "files that are none of the package's business. Such a member is never read. Pack the archive from inside the "
        "folder, with relative names, and with files instead of links.",
        bad={"../evil.yaml": "name: web\n"},
        good={"evil.yaml": "name: web\n"},
    ),
    Rule(
        code="E009",
        title="archive holds a member twice or breaks the size limits",
        why="Of two members with one name, different tools read different ones; an archive of a few kilobytes that unpacks to "
        "gigabytes is made to exhaust memory. Pack the archive anew from the files.",
        bad={"example.yaml": "name: web\n", "./example.yaml": "name: database\n"},
        good={"example.yaml": "name: web\n", "other.yaml": "name: database\n"},
    ),
)

FRAMEWORK_CODES: Final = (
    Rule(
        code="E000",
        title="a check itself failed",
        why="This is a fault of the check that is named, not of what you wrote; the other checks have run. Please report it. "
        "`SABIR_DEBUG=1` shows where it happened; `--ignore E000` lets the run pass meanwhile.",
        bad={
            "validator.py": "def check(data):\n    yield data['port'] + 1\n",
            "example.yaml": "port: eighty\n",
        },
        good={
            "validator.py": "def check(data):\n    if isinstance(data['port'], str):\n        yield 'port must be a number'\n",
            "example.yaml": "port: eighty\n",
        },
    ),
    Rule(
        code="E910",
        title="a malformed rule",
        why="A policy file is a mapping with the list rules. A rule has a code with a prefix of its own, a message, the "
        "expression `for` that finds instances, and the expression `condition` that must be true of each of them.",
        bad={"example.yaml": "rules:\n- code: SHOP:E001\n  message: no backup\n  for: '::*'\n"},
        good={
            "example.yaml": "rules:\n- code: SHOP:E001\n  message: no backup\n  for: '::*'\n  condition: backup\n"
        },
    ),
    Rule(
        code="W901",
        title="suppression that suppresses nothing",
        why="The finding that the comment was written for is gone, or the code is misspelt. A suppression left behind would "
        "hide the next finding of that kind. Remove the comment; `--fix` does it.",
        bad={"example.yaml": "name: web  # sabir: ignore[E006] both are needed\n"},
        good={"example.yaml": "name: web\nname: db  # sabir: ignore[E006] shows what a duplicate does\n"},
        fixable=True,
    ),
    Rule(
        code="W902",
        title="suppression without a reason",
        why="Whoever reads the comment next year wants to know why the finding was not mended. Write the reason after the "
        "bracket. Off unless `require-reason` is set or the code is selected.",
        bad={"example.yaml": "name: web\nname: db  # sabir: ignore[E006]\n"},
        good={"example.yaml": "name: web\nname: db  # sabir: ignore[E006] shows what a duplicate does\n"},
        off_by_default=True,
    ),
    Rule(
        code="W903",
        title="plug-in cannot be loaded",
        why="An installed distribution offers a language, validator, formatter or driver that cannot be imported or breaks the "
        "interface, so what it would have found is missing from the report. Mend or remove the distribution.",
        bad={"entry_points.txt": "[sabir.validators]\nacme = acme_rules:Missing\n"},
        good={"entry_points.txt": "[sabir.validators]\nacme = sabir.check.form:FormValidator\n"},
    ),
    Rule(
        code="W904",
        title="suppression that names no code",
        why="A suppression has to say what it suppresses, between brackets, so that other findings of the line stay visible: "
        "`# sabir: ignore[E006] reason`.",
        bad={"example.yaml": "name: web  # sabir: ignore everything here\n"},
        good={"example.yaml": "name: web\nname: db  # sabir: ignore[E006] shows what a duplicate does\n"},
    ),
)

GENERAL_CODES: Final = (*FORM_CODES, *_CONTAINER_CODES, *FRAMEWORK_CODES)
