"""Texts for the Inmanta parser alone, ten times as many as models can be evaluated in the same time.

Whatever the text: parsing ends, soon, with a tree and problems whose places lie in the text and whose words say something; and
the same text gives the same problems again.
"""

from __future__ import annotations

import random
from functools import partial

from sabir.languages.inmanta.syntax.parser import parse
from sabir.text import Source
from tests.fuzz.inmanta import damaged
from tests.fuzz.judging import complaint
from tests.languages.inmanta.models import random_statements

__all__ = ["run"]

_SECONDS = 2.0


def _checked(text: str) -> str | None:
    source = Source("main.cf", text)
    problems = parse(source).problems
    for problem in problems:
        span = problem.place.span
        if not 0 <= span.start <= span.end <= len(text) or not problem.message:
            return f"a problem without place or words: {problem}"
    return None if parse(source).problems == problems else "other problems the second time"


def run(count: int, seed: int) -> list[str]:
    failures: list[str] = []
    text = ""
    for number in range(count):
        chance = random.Random(f"syntax/{seed}/{number}")
        # Every tenth is fresh; the others are the one before with more damage.
        if number % 10 == 0:
            text = "\n".join(random_statements(chance.randint(0, 10**9))) + "\n"
        text = damaged(text, chance)
        wrong = complaint(partial(_checked, text), seconds=_SECONDS)
        if wrong is not None:
            failures.append(f"--- {wrong}\n{text}")
    return failures
