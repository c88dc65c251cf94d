"""MuranoPL class files and object models: those of the conformance cases, damaged.

Whatever the text: it is read, built, loaded, called and written back, or it fails with one of our errors; within seconds.
What was written back loads again and is written back the same.
"""

from __future__ import annotations

import copy
import random
import time
import traceback
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

from sabir.errors import SabirError
from sabir.expressions.yaql import Library
from sabir.languages.muranopl.evaluate.limits import RunLimits
from sabir.languages.muranopl.evaluate.packages import MuranoPackage
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.manifest import Manifest
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source
from tests.conformance.runner.muranopl import MuranoCase, load

__all__ = ["check", "damaged_model", "damaged_text", "run"]

CASES = [
    case
    for case in load(Path(__file__).parents[1] / "conformance" / "muranopl")
    if isinstance(case, MuranoCase)
]
LIMITS = RunLimits(steps=2000, seconds=1.0, depth=60)
_SECONDS = 5.0
_ODD: tuple[Any, ...] = (
    None,
    True,
    0,
    -1,
    1e308,
    float("nan"),
    10**30,
    "",
    "root",
    "$x",
    "ключ",
    [],
    {},
    [[]],
    {"?": {}},
    {"?": None},
    {"?": {"type": "conf.Root"}},
    {"?": {"type": "conf.Root", "id": "root"}},
    {"?": {"type": 5}},
    {1: 2, None: 3},
    ["root", None],
)
_SNIPPETS = (
    "- Return: $",
    "- Break:",
    "- $x: $this",
    "- $.x: [1, {a: $}]",
    "- $.run()",
    "- Throw: a",
    "Try: $.run()",
    "Catch:",
    "Do: $x",
    "Usage: Static",
    "Usage: Meta",
    "Contract: [$.int(), 2, 1]",
    "Contract: $.class(Root).owned().check($.p = $this)",
    "Contract: $.template(Root, excludeProperties => [p])",
    "Default: {a: $.p}",
    "Extends: [Root, Base]",
    "Import: Root",
    "---",
    "Name: Root",
    "Parallel: [$.run(), $.f()]",
    "For: x",
    "In: $.p",
    "Meta: {Root: {}}",
    ": x",
    "? y",
    "&a [*a]",
    "$x[0].a[$this]: 1",
)


def damaged_text(rng: random.Random, text: str) -> str:
    """Lines lost, doubled, moved, mixed, indented; characters lost and swapped."""
    lines = text.split("\n")
    for _ in range(rng.randint(1, 4)):
        index = rng.randrange(len(lines))
        line = lines[index]
        match rng.randrange(9):
            case 0:
                del lines[index]
            case 1:
                lines.insert(index, line)
            case 2:
                other = rng.randrange(len(lines))
                lines[index], lines[other] = lines[other], line
            case 3:
                indent = len(line) - len(line.lstrip())
                lines.insert(index, " " * (indent + rng.choice((0, 0, 2, -2))) + rng.choice(_SNIPPETS))
            case 4:
                lines[index] = " " * rng.randint(0, 12) + line.lstrip()
            case 5:
                position = rng.randint(0, len(line))
                lines[index] = (
                    line[:position] + rng.choice("$.()[]{}:=>'\"*&!|,?-# \t0aé\0") + line[position:]
                )
            case 6:
                position = rng.randint(0, len(line))
                lines[index] = line[:position] + line[position + 1 :]
            case 7:
                donor = rng.choice(CASES).classes.split("\n")
                lines[index:index] = donor[rng.randrange(len(donor)) :][: rng.randint(1, 6)]
            case _:
                words = line.split()
                rng.shuffle(words)
                lines[index] = line[: len(line) - len(line.lstrip())] + " ".join(words)
        lines = lines or [""]
    return "\n".join(lines)


def damaged_model(rng: random.Random, model: Any) -> Any:
    """Values replaced, dropped, wrapped, copied elsewhere."""
    model = copy.deepcopy(model)
    for _ in range(rng.randint(1, 3)):
        places: list[tuple[Any, Any]] = []
        waiting = [model]
        while waiting:
            value = waiting.pop()
            pairs = (
                value.items()
                if isinstance(value, dict)
                else enumerate(value)
                if isinstance(value, list)
                else ()
            )
            for key, item in list(pairs):
                places.append((value, key))
                waiting.append(item)
        if not places:
            return model
        container, key = rng.choice(places)
        match rng.randrange(4):
            case 0:
                container[key] = copy.deepcopy(rng.choice(_ODD))
            case 1 if isinstance(container, dict):
                del container[key]
            case 2:
                container[key] = [container[key]] if rng.random() < 0.5 else {"a": container[key]}
            case _:
                other, place = rng.choice(places)
                if place in other if isinstance(other, dict) else place < len(other):
                    container[key] = copy.deepcopy(other[place])
    return model


def check(classes: str, model: Any, case: MuranoCase) -> None:
    """Everything the engine does with them; raises what is not ours."""
    functions = Library()

    @functions.function("trace")
    def trace(value: Any) -> None:
        plain_result(value)

    package = MuranoPackage(Manifest(name="conf.pkg", format=case.format), MemoryPackage({}))
    read = read_class_file(compose(Source("conf.yaml", classes), tags=frozenset({"!yaql"})))
    for finding in read.findings:
        assert finding.location.line >= 0
    for node in read.classes:
        package.add(node)
    runtime = Runtime([package], functions=functions, limits=LIMITS)
    for node in read.classes:
        _attempt(partial(runtime.find_class, node.name, package))
    session = MuranoRun(runtime)
    if model is None or _attempt(lambda: session.load(model)) is None:
        return
    root = runtime.root
    assert root is not None
    if case.call is not None:
        call = case.call
        _attempt(lambda: plain_result(session.call(root, call.method, call.args, call.kwargs)))
    written = _attempt(session.dump)
    if written is not None:
        again = MuranoRun(Runtime([package], functions=functions, limits=LIMITS))
        if _attempt(lambda: again.load(written)) is not None:
            _attempt(again.dump)


def _attempt(work: Callable[[], Any]) -> Any:
    """The result, or None when it fails in a way we know; then the failure must be fit to be shown."""
    try:
        return work()
    except MuranoError as error:
        for one in (error, *error.also):
            finding = one.finding()
            assert finding.message
            assert finding.location.line >= 0
        return None


def run(count: int, seed: int) -> list[str]:
    """Inputs that broke a rule, each with what happened."""
    failures: list[str] = []
    rng = random.Random(seed)
    for number in range(count):
        case = rng.choice(CASES)
        classes = damaged_text(rng, case.classes) if number % 2 else case.classes
        model = case.model if number % 2 else damaged_model(rng, case.model or {})
        started = time.monotonic()
        try:
            check(classes, model, case)
        except SabirError as error:
            failures.append(f"{number}: {type(error).__name__}: {error}\n{classes}\n{model!r}")
        except Exception:  # noqa: BLE001  # this is what the fuzzer looks for
            failures.append(f"{number}: {traceback.format_exc()}\n{classes}\n{model!r}")
        if time.monotonic() - started > _SECONDS:
            failures.append(f"{number}: took {time.monotonic() - started:.1f} s\n{classes}\n{model!r}")
    return failures
