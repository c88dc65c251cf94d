"""The difference of two graphs for people and machines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final

from sabir.graph.diff import Absent, ValueChange
from sabir.graph.graph import Graph, Instance
from sabir.graph.values import Value
from sabir.graph.views.colours import PLAIN, Paint
from sabir.graph.views.text import clip_text, one_line, value_text
from sabir.operations.diff import DiffResult, difference_data
from sabir.operations.why import DIFF_FORMAT
from sabir.text import format_json


def text_view(difference: DiffResult, paint: Paint = PLAIN) -> Iterator[str]:
    """`-` gone, `+` new, `~` changed; values before and after."""
    diff = difference.diff
    for instance in diff.removed:
        yield f"{paint.bad('-')} {_instance_title(instance, paint)}\n"
    for instance in diff.added:
        yield f"{paint.good('+')} {_instance_title(instance, paint)}\n"
    for changed in diff.changed:
        yield f"{paint.changed('~')} {_instance_title(changed.after, paint)}\n"
        for change in changed.changes:
            yield f"    {_change_line(change, difference, paint)}\n"
    for change in diff.outputs:
        yield f"{paint.changed('~')} output {_change_line(change, difference, paint)}\n"
    if not diff:
        yield "no difference\n"
        return
    yield f"{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed\n"


def _instance_title(instance: Instance, paint: Paint) -> str:
    return f"{paint.name(one_line(instance.name))} {paint.type(f'({one_line(instance.type)})')}"


def _change_line(change: ValueChange, difference: DiffResult, paint: Paint) -> str:
    before = _format_value(change.before, difference.before)
    after = _format_value(change.after, difference.after)
    return f"{one_line(change.name)}: {paint.bad(before)} → {paint.good(after)}"


def _format_value(value: Value | Absent, graph: Graph) -> str:
    return "(none)" if isinstance(value, Absent) else clip_text(value_text(value, graph))


def json_view(difference: DiffResult) -> Iterator[str]:
    yield format_json({"format": DIFF_FORMAT, **difference_data(difference)}, indent=2) + "\n"


def markdown_view(difference: DiffResult) -> Iterator[str]:
    """A comment of a review."""
    diff = difference.diff
    if not diff:
        yield "The change has no effect on what is described.\n"
        return
    yield f"**{len(diff.added)} added, {len(diff.removed)} removed, {len(diff.changed)} changed**\n\n"
    yield from markdown_changes(difference)


def markdown_changes(difference: DiffResult) -> Iterator[str]:
    """A list of all that is new, gone or different, with the places where the new values come from."""
    diff = difference.diff
    for sign, instances in (("➖", diff.removed), ("➕", diff.added)):
        for instance in instances:
            yield f"- {sign} {code_span(instance.name)} ({code_span(instance.type)}){_format_origin(instance, None)}\n"
    for changed in diff.changed:
        yield f"- {code_span(changed.after.name)} ({code_span(changed.after.type)})\n"
        for change in changed.changes:
            yield f"    - {_markdown_change(change, difference)}{_format_origin(changed.after, change.name)}\n"
    for change in diff.outputs:
        yield f"- output {_markdown_change(change, difference)}\n"


def _markdown_change(change: ValueChange, difference: DiffResult) -> str:
    before = _format_value(change.before, difference.before)
    after = _format_value(change.after, difference.after)
    return f"{code_span(change.name)}: {code_span(before)} → {code_span(after)}"


def _format_origin(instance: Instance, attribute: str | None) -> str:
    origin = None if attribute is None else instance.origins.get(attribute)
    origin = origin or instance.origin
    return "" if origin is None else f" — {code_span(f'{origin.location.file}:{origin.location.line}')}"


def code_span(text: str) -> str:
    """Text that Markdown takes as it is: between more backticks than it has in a row."""
    clean = one_line(text)
    fence = "`" * (max((len(run) for run in re.findall("`+", clean)), default=0) + 1)
    return f"{fence} {clean} {fence}" if "`" in clean else f"`{clean}`"


VIEWS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {
    "text": text_view,
    "json": json_view,
    "markdown": markdown_view,
}
