"""What stands at a place, in words: the name, and the value that the line comes to with where it came from."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from sabir.graph.views.words import clipped, one_line, value_text
from sabir.lsp.desk import Desk
from sabir.operations.editing.evaluated import EvaluatedProject, ValueAt
from sabir.operations.editing.index import Definition
from sabir.operations.why import Step

__all__ = ["hover_text"]

_MOST_VALUES: Final = 5
_MOST_STEPS: Final = 8


def hover_text(desk: Desk, name: str, offset: int) -> str | None:
    """Markdown; None when there is nothing to say."""
    sections = [*_name_sections(desk, name, offset), *_value_sections(desk, name, offset)]
    return "\n\n---\n\n".join(sections) or None


def _name_sections(desk: Desk, name: str, offset: int) -> Iterator[str]:
    at = desk.index.at(name, offset)
    if at is not None:
        for definition in desk.index.definitions(at[1])[:1]:
            yield _described(definition)
            if definition.symbol.key.startswith("rule "):
                yield from _judgement(desk, definition.symbol.name)


def _judgement(desk: Desk, code: str) -> Iterator[str]:
    """Who breaks a rule of a policy file, as of the last evaluation."""
    if desk.values is None:
        return
    broken = [finding for finding in desk.values.findings if finding.code == code]
    if not broken:
        yield "Nothing breaks this rule."
        return
    lines = [f"{finding.location}  {finding.message}" for finding in broken[:_MOST_VALUES]]
    more = [f"… and {len(broken) - len(lines)} more"] if len(broken) > len(lines) else []
    yield "What breaks this rule:\n\n" + _code("\n".join([*lines, *more]))


def _described(definition: Definition) -> str:
    symbol = definition.symbol
    lines = [f"**{symbol.name}** ({symbol.kind.value})"]
    if symbol.detail:
        lines.append(_code(symbol.detail))
    if symbol.about:
        lines.append(symbol.about.strip())
    return "\n\n".join(lines)


def _value_sections(desk: Desk, name: str, offset: int) -> Iterator[str]:
    evaluated, line, source = desk.values, desk.line_in_values(name, offset), desk.source(name)
    if evaluated is None or line is None or source is None:
        return
    values = evaluated.at(*line, source.line_column(offset)[1])
    for value in values[:_MOST_VALUES]:
        yield _why(evaluated, value)
    if not values:
        resting = [*islice(evaluated.made_through(*line), _MOST_VALUES + 1)]
        if resting:
            yield _resting(evaluated, resting)


def _resting(evaluated: EvaluatedProject, values: list[ValueAt]) -> str:
    lines = [
        f"{one_line(value.subject.name(evaluated.graph))} = "
        f"{clipped(value_text(evaluated.value_of(value), evaluated.graph))}"
        for value in values[:_MOST_VALUES]
        if value.subject.attribute is not None
    ]
    more = ["…"] if len(values) > _MOST_VALUES else []
    return "What depends on this line:\n\n" + _code("\n".join([*lines, *more]))


def _why(evaluated: EvaluatedProject, value: ValueAt) -> str:
    explanation = evaluated.explain(value)
    steps = explanation.steps[:_MOST_STEPS]
    lines = [line for step in steps for line in _step_lines(step, evaluated)]
    if len(explanation.steps) > len(steps):
        lines.append(f"… and {len(explanation.steps) - len(steps)} more steps")
    return _code("\n".join(lines))


def _step_lines(step: Step, evaluated: EvaluatedProject) -> Iterator[str]:
    indent = "  " * step.depth + ("← " if step.depth else "")
    place = "" if step.location is None else f"{step.location}"
    how = "" if step.origin is None else step.origin.how.value
    if step.subject is None:
        yield f"{indent}{place}  {how}"
        return
    value = f" = {clipped(value_text(step.value, evaluated.graph))}" if step.has_value else ""
    yield f"{indent}{one_line(step.subject)}{value}"
    if not step.seen_before:
        yield f"{'  ' * step.depth}    {place}  {how}"


def _code(text: str) -> str:
    fence = "```"
    while fence in text:
        fence += "`"
    return f"{fence}text\n{text}\n{fence}"
