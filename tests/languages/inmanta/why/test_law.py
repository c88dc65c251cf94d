"""The law of provenance, both ways: a line whose change changes a value is in the chain of the value, and a literal in the
chain of a value, when it is changed, changes the value."""

from __future__ import annotations

import re
from collections.abc import Iterator

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sabir.graph.dependence import Dependence
from tests.languages.inmanta.models import canonical, evaluate_traced, random_statements
from tests.languages.inmanta.models import evaluate as evaluate_model
from tests.languages.inmanta.why.meetings import MODELS
from tests.languages.inmanta.why.models import CASES, Case, evaluate, named_lines, values
from tests.provenance.law import Files, Law, Line, Value

_SWAPS = (
    *(
        ("true", "false"),
        ("false", "true"),
        (" > ", " < "),
        (" < ", " > "),
        (" == ", " != "),
        (" != ", " == "),
    ),
    *((" and ", " or "), (" or ", " and "), ("std::replace", "std::prefixlength_to_netmask"), (" + ", " * ")),
)
_DECLARES = re.compile(r"\s*(entity |typedef |index |import |#|[\w:]+\.\w+ \[|string |int |bool )(?!.* = )")


def changes(line: str, names: list[str]) -> Iterator[str]:
    """The line with one literal, operator or name changed."""
    for found in re.finditer(r"(?<![\w.\[:])\d+(?![\w.:\]])", line):
        for number in (int(found.group()) + 1, 0, 9):
            yield line[: found.start()] + str(number) + line[found.end() :]
    for found in re.finditer(r'"[^"]*"', line):
        yield line[: found.end() - 1] + "q" + line[found.end() - 1 :]
    for old, new in _SWAPS:
        if old in line:
            yield line.replace(old, new, 1)
    read = re.search(r"(?<==)\s*(?!=).*|(?<=if ).*|(?<=in ).*|(?<=when ).*|(?<=\{\{).*", line)
    for found in re.finditer(r"(?<![\w.\"])[a-z]\w*(?![\w(:=\"])", line[read.start() :]) if read else ():
        for name in names:
            at = read.start() + found.start() if read else 0
            yield line[:at] + name + line[at + len(found.group()) :]


def variants(file: str, line: str, files: Files) -> Iterator[str]:
    if _DECLARES.match(line) or file.endswith(".yml"):
        return
    names = sorted(set(re.findall(r"^\s*(\w+) = ", "\n".join(files.values()), re.MULTILINE)))
    yield from changes(line, names)
    if line.strip() and file.endswith((".j2", ".txt")):
        yield line + "q"


LAW = Law(lambda files: evaluate(dict(files)), values, variants)


def missing(files: dict[str, str], *, most: int | None = None) -> list[str]:
    """Lines that change a value and are not in its chain; `most` changes are tried, spread over the model."""
    graph = evaluate(files, full=True)
    assert graph is not None
    before, named = values(graph), LAW.chains(graph)
    every = list(LAW.mutants(files))
    tried = every if most is None else every[:: len(every) // most + 1]
    unnamed: list[str] = []
    for mutant, changed, _ in LAW.changed(before, tried):
        beside = {value: after for value, after in changed.items() if mutant.line not in named(value)}
        if not any(_is_elsewhere(before[value], after) for value, after in beside.items()):
            unnamed += [
                f"{value}: {before[value]} → {after} by {mutant.line}: {(mutant.text or '').strip()}"
                for value, after in beside.items()
            ]
    return unnamed


def _is_elsewhere(before: str, after: str) -> bool:
    """A line that writes to one instance can be changed to write to another: any line can, and no chain names them all.
    Such a write shows where nothing was, or beside what was there; and what is computed from that changes, too."""
    if before == "None":
        return True
    return before.startswith("→") and set(re.findall(r"'[^']*'", before)) < set(re.findall(r"'[^']*'", after))


@pytest.mark.parametrize("name", CASES)
def test_every_line_that_changes_a_value_is_in_its_chain(name: str) -> None:
    assert missing(CASES[name].all_files()) == []


@pytest.mark.slow
@pytest.mark.parametrize("name", MODELS)
def test_kinds_of_steps_that_meet(name: str) -> None:
    assert missing({"main.cf": MODELS[name]}, most=150) == []


LITERALS = {
    "literal": "3",
    "constructor argument": "4",
    "argument on another line": "4",
    "default": "= 1",
    "default of a subtype": "8",
    "interpolation": '"x"',
    "f-string": "= 3",
    "comprehension": "= 2",
    "index": "size=4",
    "refinement": "size=3",
    "qualified name": "= 3",
    "plug-in": "= 3",
    "plug-in of std": '"a-b"',
    "made by a refinement": '"t"',
    "unpacked dict": "= 4",
    "attribute chain": "size=7",
}


@pytest.mark.parametrize("name", LITERALS)
def test_a_literal_of_the_chain_changes_the_value(name: str) -> None:
    """`impact` says so, too: it is the same data backwards."""
    case, literal = CASES[name], LITERALS[name]
    value = _value(case)
    graph = evaluate(case.all_files(), full=True)
    assert graph is not None
    literals = {line for line in named_lines(graph, value) if literal in _text(case, line)}
    assert literals
    for file, line in literals:
        assert value in {(one.instance, one.attribute) for one in Dependence(graph).on_line(file, line)}
        new = literal[:-2] + 'z"' if literal.endswith('"') else literal[:-1] + "5"
        files = case.all_files()
        lines = files[file].split("\n")
        lines[line - 1] = lines[line - 1].replace(literal, new)
        after = evaluate({**files, file: "\n".join(lines)})
        assert after is not None
        assert values(after)[value] != values(graph)[value]


def _value(case: Case) -> Value:
    step = case.explanation().steps[0]
    assert step.subject is not None
    instance, _, attribute = step.subject.rpartition(".")
    if instance == "outputs":
        return None, attribute
    graph = evaluate(case.all_files())
    assert graph is not None
    return graph.find_by_name(instance)[0].id, attribute


def _text(case: Case, line: Line) -> str:
    return case.all_files()[line[0]].split("\n")[line[1] - 1]


@settings(max_examples=2, deadline=None)
@given(st.integers(0, 10_000))
def test_the_law_holds_for_models_nobody_wrote(seed: int) -> None:
    files = {"main.cf": "\n".join(random_statements(seed)) + "\n"}
    if evaluate(files) is not None:
        assert missing(files, most=25) == []


@pytest.mark.slow
@settings(max_examples=15, deadline=None)
@given(st.integers(0, 1_000_000))
def test_the_law_holds_for_many_models_nobody_wrote(seed: int) -> None:
    files = {"main.cf": "\n".join(random_statements(seed)) + "\n"}
    if evaluate(files) is not None:
        assert missing(files, most=80) == []


@settings(max_examples=20, deadline=None)
@given(st.integers(0, 100_000))
def test_noting_changes_nothing(seed: int) -> None:
    text = "\n".join(random_statements(seed)) + "\n"
    assert canonical(evaluate_model(text)) == canonical(evaluate_traced(text))
