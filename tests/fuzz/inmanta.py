"""Inmanta models: made from statements, or made and then damaged; and the same statements in another order.

Whatever the text: parsing ends with a tree or problems whose places lie in the text; evaluation ends with findings, never
with an exception, and within seconds. Statements in another order mean the same. Noting what everything is computed from
changes neither findings nor instances.
"""

from __future__ import annotations

import random

from sabir.languages.inmanta import LANGUAGE
from sabir.languages.inmanta.check import InmantaValidator
from sabir.languages.inmanta.syntax.parser import parse
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import MemoryPackage
from sabir.text import Source
from tests.fuzz.judging import complaint
from tests.languages.inmanta.models import canonical, evaluate, random_statements

__all__ = ["check", "damaged", "run"]

_SECONDS = 10.0
_PIECES = (
    *(
        "entity ",
        "end\n",
        "implement ",
        "implementation ",
        "typedef ",
        "index ",
        "import std\n",
        "for x in ",
        "if ",
    ),
    *(
        "elif ",
        "else:\n",
        " using ",
        " when ",
        " extends ",
        " matching ",
        "std::none",
        "std::count(",
        "self",
        "parents",
    ),
    *(
        "[0:1]",
        "[1]",
        "[",
        "]",
        "(",
        ")",
        "{",
        "}",
        ":",
        "::",
        "--",
        "=",
        "+=",
        "**",
        ",",
        ".",
        "?",
        "/a/",
        "/",
        "-",
    ),
    *(
        "null",
        "undef",
        "true",
        " is defined",
        " not in ",
        " in ",
        " and ",
        " or ",
        "not ",
        "1",
        "2.5",
        '"{{n0}}"',
    ),
    *(
        'f"{n0}"',
        "r'x'",
        '"""',
        "'",
        "#",
        "//",
        "\n",
        "n0",
        "n1",
        "Node",
        ".links",
        ".kids",
        ".name",
        ".total",
        "\\",
    ),
)


def damaged(text: str, chance: random.Random) -> str:
    """A text with a few pieces put in, taken out, doubled or swapped."""
    for _ in range(chance.randint(1, 4)):
        at = chance.randint(0, len(text))
        until = min(len(text), at + chance.randint(1, 12))
        kind = chance.randint(0, 3)
        if kind == 0:
            text = text[:at] + chance.choice(_PIECES) + text[at:]
        elif kind == 1:
            text = text[:at] + text[until:]
        elif kind == 2:
            text = text[:until] + text[at:]
        else:
            text = text[:at] + chance.choice(_PIECES) + text[until:]
    return text


def check(text: str) -> str | None:
    """What is wrong with how sabir takes a text; None when nothing is."""
    return complaint(lambda: _checked(text), seconds=_SECONDS)


def _checked(text: str) -> str | None:
    for problem in parse(Source("main.cf", text)).problems:
        if not 0 <= problem.place.span.start <= problem.place.span.end <= len(text):
            return f"a problem outside the text: {problem}"
    package = MemoryPackage({"main.cf": text})
    for finding in InmantaValidator(package).run():
        assert finding.location.line >= 0
    evaluation = LANGUAGE.evaluate(package, EvaluationRequest())
    for finding in evaluation.findings:
        assert finding.message
    noted = LANGUAGE.evaluate(package, EvaluationRequest(full_provenance=True))
    assert [str(finding) for finding in noted.findings] == [str(finding) for finding in evaluation.findings]
    assert [instance.id for instance in noted.graph] == [instance.id for instance in evaluation.graph]
    return None


def run(count: int, seed: int) -> list[str]:
    failures: list[str] = []
    for number in range(count):
        chance = random.Random(f"{seed}/{number}")
        statements = random_statements(chance.randint(0, 10**9))
        text = "\n".join(statements) + "\n"
        if number % 5 == 0:
            expected = canonical(evaluate(text))
            chance.shuffle(statements)
            other = "\n".join(statements) + "\n"
            if canonical(evaluate(other)) != expected:
                failures.append(f"--- another order, another result\n{text}--- and\n{other}")
            continue
        text = damaged(text, chance)
        wrong = check(text)
        if wrong is not None:
            failures.append(f"--- {wrong}\n{text}")
    return failures
