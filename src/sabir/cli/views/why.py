"""The answer of `why` for people, machines and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sabir.graph.views.colours import PLAIN, Paint
from sabir.graph.views.diagrams import mermaid_text
from sabir.graph.views.text import clip_text, one_line, value_text
from sabir.operations.why import Explanation, WhyStep, why_data
from sabir.text import format_json


def text_view(explanation: Explanation, paint: Paint = PLAIN) -> Iterator[str]:
    """Every step with its place, manner and line; what it rests on is indented below."""
    for step in explanation.steps:
        indent = "    " * step.depth
        arrow = "← " if step.depth else ""
        if step.subject is not None:
            yield f"{indent}{arrow}{_format_subject(explanation, step, paint)}\n"
            arrow = "  "
        if step.seen_before:
            yield f"{indent}{arrow}{paint.aside('(explained above)')}\n"
            continue
        yield f"{indent}{arrow}{_format_origin(step, paint)}\n"
        if step.line_text is not None and step.location is not None and not _is_above(explanation, step):
            yield f"{indent}      {paint.aside(f'{step.location.line} |')} {one_line(step.line_text).strip()}\n"
    if explanation.cut:
        yield f"… and more; the first {len(explanation.steps)} steps are shown\n"


def _is_above(explanation: Explanation, step: WhyStep) -> bool:
    """Whether the line is the one that was just shown for the step above."""
    if step.parent is None or step.location is None:
        return False
    above = explanation.steps[step.parent].location
    return above is not None and (above.file, above.line) == (step.location.file, step.location.line)


def _format_subject(explanation: Explanation, step: WhyStep, paint: Paint = PLAIN) -> str:
    name = paint.name(one_line(step.subject or ""))
    return f"{name} = {clip_text(value_text(step.value, explanation.graph))}" if step.has_value else name


def _format_origin(step: WhyStep, paint: Paint = PLAIN) -> str:
    if step.origin is None:
        return "where it came from is not known"
    note = f" ({one_line(step.origin.note)})" if step.origin.note else ""
    return f"{paint.place(str(step.location))}  {step.origin.how.value}{note}"


def json_view(explanation: Explanation) -> Iterator[str]:
    yield format_json(why_data(explanation), indent=2) + "\n"


def mermaid_view(explanation: Explanation) -> Iterator[str]:
    """Arrows go the way the value went: from what it was computed from."""
    yield "flowchart LR\n"
    for step in explanation.steps:
        lines = [_format_subject(explanation, step)] if step.subject is not None else []
        lines.append("explained elsewhere" if step.seen_before else _format_origin(step))
        label = "<br/>".join(mermaid_text(clip_text(line)) for line in lines)
        yield f'  s{step.number}["{label}"]\n'
        if step.parent is not None:
            yield f"  s{step.number} --> s{step.parent}\n"


VIEWS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {
    "text": text_view,
    "json": json_view,
    "mermaid": mermaid_view,
}
