"""The answer of `impact` for people and machines.

What a change means, for people, for machines, and as a comment of a review.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any, Final

from sabir.cli.views.diff import code_span, markdown_changes
from sabir.cli.views.diff import text_view as difference_text
from sabir.graph.dependence import Dependent
from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead
from sabir.graph.views.colours import PLAIN, Paint
from sabir.graph.views.text import clip_text, one_line, value_text
from sabir.operations.diff import difference_data
from sabir.operations.impact import ImpactResult, impact_data
from sabir.operations.review import Review, ReviewedPackage
from sabir.text import format_json


def text_view(impact: ImpactResult, paint: Paint = PLAIN) -> Iterator[str]:
    """Each instance once, below it what of it depends on the line and by which way."""
    if not impact.affected:
        yield f"nothing depends on {impact.file}:{impact.line}\n"
        return
    shown: str | None = None
    for affected in impact.affected:
        if affected.instance is None:
            yield f"output {affected.attribute}{_format_cause(impact.graph, affected)}\n"
            continue
        instance = impact.graph[affected.instance]
        if shown != affected.instance:
            shown = affected.instance
            note = " is made here" if affected.attribute is None else ""
            yield f"{paint.name(one_line(instance.name))} {paint.type(f'({instance.type})')}{note}\n"
        if affected.attribute is not None:
            value = _format_value(impact.graph, affected)
            yield f"    {affected.attribute} = {clip_text(value)}{_format_cause(impact.graph, affected)}\n"
    for rendered in impact.rendered:
        way = _format_read(impact.graph, rendered.through)
        yield f"{one_line(rendered.name)} in {rendered.renderer}: {', '.join(rendered.fields)}{way}\n"
    instances = len({affected.instance for affected in impact.affected if affected.instance is not None})
    outputs = sum(affected.instance is None for affected in impact.affected)
    both = f"{_pluralize(instances, 'instance')} and {_pluralize(outputs, 'output')}"
    if impact.rendered:
        objects = _pluralize(len(impact.rendered), "rendered object")
        both = f"{_pluralize(instances, 'instance')}, {objects} and {_pluralize(outputs, 'output')}"
    yield f"{both} depend on {impact.file}:{impact.line}\n"


def _pluralize(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def _format_value(graph: Graph, affected: Dependent) -> str:
    instance = graph[affected.instance or ""]
    name = affected.attribute or ""
    if name in instance.attributes:
        return value_text(instance.attributes[name], graph)
    targets = instance.relations[name]
    return ", ".join(graph[id_].name if id_ in graph else id_ for id_ in targets) or "nothing"


def _format_cause(graph: Graph, affected: Dependent) -> str:
    return "" if affected.through is None else _format_read(graph, affected.through)


def _format_read(graph: Graph, read: AttributeRead) -> str:
    if read.instance not in graph:
        return ""
    name = graph[read.instance].name
    return f"   through {name if read.attribute is None else f'{name}.{read.attribute}'}"


def json_view(impact: ImpactResult) -> Iterator[str]:
    yield format_json(impact_data(impact), indent=2) + "\n"


VIEWS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {"text": text_view, "json": json_view}


FORMAT: Final = "sabir.review/1"


def review_text_view(review: Review, paint: Paint = PLAIN) -> Iterator[str]:
    """Each package that means something else, with its difference."""
    for package in review.packages:
        if package.failure is not None:
            yield f"{paint.name(package.path)}: {paint.bad(f'not compared: {package.failure}')}\n"
        elif package.difference.diff:
            yield f"{paint.name(package.path)}\n"
            yield from (f"    {line}" for line in difference_text(package.difference, paint))
    yield f"{_format_total(review)}\n"


def _format_total(review: Review) -> str:
    changed, count = len(review.changed), len(review.packages)
    if count == 1:
        return f"{'1 package has' if changed else 'the package has not'} changed since {review.since}"
    return f"{changed} of {count} packages mean something else than in {review.since}"


def review_json_view(review: Review) -> Iterator[str]:
    packages = [_package_data(package) for package in review.packages]
    yield format_json({"format": FORMAT, "since": review.since, "packages": packages}, indent=2) + "\n"


def _package_data(package: ReviewedPackage) -> dict[str, Any]:
    return {"path": package.path, "failure": package.failure, **difference_data(package.difference)}


def markdown_view(review: Review) -> Iterator[str]:
    """A comment: a table of all packages that changed, and what changed in each, folded."""
    yield f"### What this change means\n\nCompared with `{review.since}`: {_format_total(review)}.\n"
    failed = [package for package in review.packages if package.failure is not None]
    if review.changed:
        yield "\n| package | added | removed | changed |\n|---|---:|---:|---:|\n"
    for package in review.changed:
        diff = package.difference.diff
        yield f"| {_table_cell(package.path)} | {len(diff.added)} | {len(diff.removed)} | {len(diff.changed)} |\n"
    for package in review.changed:
        yield f"\n<details><summary><code>{escape(package.path)}</code></summary>\n\n"
        yield from markdown_changes(package.difference)
        yield "\n</details>\n"
    for package in failed:
        yield f"\n- {code_span(package.path)} could not be compared: {package.failure}\n"


def _table_cell(text: str) -> str:
    return code_span(text).replace("|", "\\|")


REVIEW_VIEWS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {
    "text": review_text_view,
    "json": review_json_view,
    "markdown": markdown_view,
}
