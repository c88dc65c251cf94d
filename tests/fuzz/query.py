"""Unfurl expressions: made from the grammar, or made and then damaged.

Whatever the text: evaluating gives matches that can be written as plain data, or a finding with a message, within a second. With
`SABIR_UNFURL_PYTHON` set to an interpreter that has unfurl, paths that both accept must give the same matches.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
from typing import Any

from sabir.expressions.query import QueryError, evaluate, plain_value
from tests.expressions.query.plain import PlainResource
from tests.fuzz.judging import complaint

__all__ = ["Generator", "check", "damaged", "run"]

DATA: dict[str, Any] = {
    "title": "crate",
    "count": 7,
    "nums": [10, 20, 30],
    "words": ["red", "green"],
    "size": {"w": 3, "h": 4},
    "racks": [{"slots": [{"id": 1}, {"id": 2}]}, {"slots": [{"id": 3}]}],
    "people": [{"name": "ann", "age": 31, "city": "oslo"}, {"name": "bob", "age": 45}],
}
_KEYS = (
    "title",
    "count",
    "nums",
    "words",
    "size",
    "racks",
    "slots",
    "people",
    "name",
    "age",
    "city",
    "w",
    "id",
    "nope",
)
_TESTS = ("1", "3", "31", "ann", "red", "crate", "x", "10")
_NOISE = ("::", "[", "]", "?", "!", "=", "$", "*", ".", " ", "{{", "}}", "é", "\0", "0")
_SECONDS = 1.0


class Generator:
    """Makes paths of the grammar; `plainly` leaves out what the existing tool is known to read otherwise."""

    def __init__(self, source: random.Random, *, plainly: bool = False) -> None:
        self._random = source
        self._plainly = plainly

    def path(self, depth: int = 2) -> str:
        segments = [self.segment(depth) for _ in range(self._random.randint(1, 4))]
        if self._plainly:
            # Known to differ: a leading index, and a name that no instance has, which is a null there.
            segments[0] = self._random.choice(_KEYS)
        return "::".join(segments)

    def segment(self, depth: int) -> str:
        choose = self._random.random
        key = (
            self._random.choice(_KEYS)
            if choose() < 0.8
            else self._random.choice(("0", "1", "", ".", ".name"))
        )
        if not self._plainly and choose() < 0.1:
            key = self._random.choice(("*", "$v", "-1", "..", ".all"))
        filters = "".join(self.filter(depth - 1) for _ in range(choose() < 0.3) if depth)
        return key + filters + ("?" if choose() < 0.08 and not self._plainly else "")

    def filter(self, depth: int) -> str:
        left = self._random.choice(_KEYS) if depth <= 0 or self._random.random() < 0.7 else self.path(0)
        test = self._random.choice(
            ("", "", f"={self._random.choice(_TESTS)}", f"!={self._random.choice(_TESTS)}")
        )
        negated = "!" if self._random.random() < 0.15 and not test else ""
        return f"[{negated}{left}{test}]"

    def expression(self) -> Any:
        match self._random.randint(0, 9):
            case 0:
                return {"concat": [self.value(), self.value()]}
            case 1:
                return {"eval": {"if": self.path(), "then": self.path(), "else": self.path()}}
            case 2:
                return {
                    "eval": self.path(),
                    "foreach": self._random.choice(("$item", "$index", "{{ item }}", self.path())),
                }
            case 3:
                return {"eval": {"or": [self.path(), self.path(), {"q": "z"}]}}
            case 4:
                return "{{ '" + self.path() + "' | eval }}"
            case _:
                return self.path()

    def value(self) -> Any:
        return self._random.choice(({"eval": self.path()}, "a", 1, "{{ 1 + 1 }}", {"q": {"eval": "x"}}))


def damaged(text: str, source: random.Random) -> str:
    for _ in range(source.randint(1, 3)):
        at = source.randint(0, len(text))
        text = text[:at] + source.choice(_NOISE) + text[at + source.randint(0, 2) :]
    return text


def check(expression: Any) -> str | None:
    """What is wrong with the treatment of an expression; None when all is well."""
    problem = complaint(lambda: _checked(expression), seconds=_SECONDS)
    return f"{expression!r}: {problem}" if problem else None


def _checked(expression: Any) -> str | None:
    try:
        json.dumps(_shown(evaluate(expression, PlainResource("box", DATA), {"v": "name"}).values))
    except QueryError as error:
        return None if error.finding.message else "a finding without words"
    return None


def _shown(values: Any) -> Any:
    return json.loads(json.dumps(plain_value(values), default=lambda one: getattr(one, "name", str(one))))


def run(count: int, seed: int) -> list[str]:
    source = random.Random(seed)
    made = Generator(source)
    failures: list[str] = []
    for number in range(count):
        expression = made.expression()
        if isinstance(expression, str) and number % 3 == 0:
            expression = damaged(expression, source)
        problem = check(expression)
        if problem:
            failures.append(problem)
    interpreter = os.environ.get("SABIR_UNFURL_PYTHON")
    return failures + (compare(count, seed, interpreter) if interpreter else [])


_PEER = """
import json, logging, os, sys
os.environ["UNFURL_LOGGING"] = "critical"; os.environ["UNFURL_HOME"] = ""
from unfurl.runtime import NodeInstance
from unfurl.eval import Ref, RefContext, map_value
from unfurl.support import AttributeManager
from unfurl.yamlloader import make_yaml
logging.disable(logging.CRITICAL)
given = json.load(sys.stdin)
box = NodeInstance("box", given["data"]); box.attributeManager = AttributeManager(make_yaml())
def shown(value):
    if isinstance(value, NodeInstance): return value.name
    if hasattr(value, "keys"): return {key: shown(value[key]) for key in value.keys()}
    if isinstance(value, (list, tuple)) or hasattr(value, "append"): return [shown(one) for one in value]
    return value
out = []
for path in given["paths"]:
    try: out.append([shown(one) for one in Ref(path).resolve(RefContext(box))])
    except Exception as error: out.append({"error": type(error).__name__})
json.dump(out, sys.__stdout__)
"""


def compare(count: int, seed: int, interpreter: str) -> list[str]:
    """Paths on which the existing tool gives other matches."""
    made = Generator(random.Random(seed), plainly=True)
    paths = list(dict.fromkeys(made.path() for _ in range(count)))
    given = json.dumps({"data": DATA, "paths": paths})
    done = subprocess.run([interpreter, "-c", _PEER], input=given, capture_output=True, text=True, check=True)
    differing: list[str] = []
    for path, theirs in zip(paths, json.loads(done.stdout), strict=True):
        try:
            ours = _shown(evaluate(path, PlainResource("box", DATA)).values)
        except QueryError:
            continue
        if not isinstance(theirs, dict) and ours != theirs:
            differing.append(f"{path!r}: ours {ours}, theirs {theirs}")
    return differing
