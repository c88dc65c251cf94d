"""What a change means, for people, for machines, and as a comment of a review."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from html import escape
from typing import Any, Final

from sabir.cli.views.diff import code, markdown_changes
from sabir.cli.views.diff import text_view as difference_text
from sabir.graph.views.colours import PLAIN, Paint
from sabir.operations.answers import difference_data
from sabir.operations.review import Review, ReviewedPackage
from sabir.text import format_json

__all__ = ["FORMAT", "REVIEW_VIEWS"]

FORMAT: Final = "sabir.review/1"


def review_text_view(review: Review, paint: Paint = PLAIN) -> Iterator[str]:
    """Each package that means something else, with its difference."""
    for package in review.packages:
        if package.failure is not None:
            yield f"{paint.name(package.path)}: {paint.bad(f'not compared: {package.failure}')}\n"
        elif package.difference.diff:
            yield f"{paint.name(package.path)}\n"
            yield from (f"    {line}" for line in difference_text(package.difference, paint))
    yield f"{_total(review)}\n"


def _total(review: Review) -> str:
    changed, count = len(review.changed), len(review.packages)
    if count == 1:
        return f"{'1 package has' if changed else 'the package has not'} changed since {review.since}"
    return f"{changed} of {count} packages mean something else than in {review.since}"


def review_json_view(review: Review) -> Iterator[str]:
    packages = [_data(package) for package in review.packages]
    yield format_json({"format": FORMAT, "since": review.since, "packages": packages}, indent=2) + "\n"


def _data(package: ReviewedPackage) -> dict[str, Any]:
    return {"path": package.path, "failure": package.failure, **difference_data(package.difference)}


def markdown_view(review: Review) -> Iterator[str]:
    """A comment: a table of all packages that changed, and what changed in each, folded."""
    yield f"### What this change means\n\nCompared with `{review.since}`: {_total(review)}.\n"
    failed = [package for package in review.packages if package.failure is not None]
    if review.changed:
        yield "\n| package | added | removed | changed |\n|---|---:|---:|---:|\n"
    for package in review.changed:
        diff = package.difference.diff
        yield f"| {_cell(package.path)} | {len(diff.added)} | {len(diff.removed)} | {len(diff.changed)} |\n"
    for package in review.changed:
        yield f"\n<details><summary><code>{escape(package.path)}</code></summary>\n\n"
        yield from markdown_changes(package.difference)
        yield "\n</details>\n"
    for package in failed:
        yield f"\n- {code(package.path)} could not be compared: {package.failure}\n"


def _cell(text: str) -> str:
    return code(text).replace("|", "\\|")


REVIEW_VIEWS: Final[Mapping[str, Callable[..., Iterator[str]]]] = {
    "text": review_text_view,
    "json": review_json_view,
    "markdown": markdown_view,
}
