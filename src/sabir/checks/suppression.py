"""Comments that suppress findings.

    port: 80  # sabir: ignore[MPL:E042, W202] the reason
    # sabir: ignore[E006] alone on its line, it applies to the next line that is neither empty nor a comment
    # sabir: ignore-file[W010] anywhere, it applies to the whole file

Comments are found by pattern in the text, because languages differ in how they keep comments. A comment that suppresses nothing
is reported itself, but only if all checks have run: otherwise it may belong to a check that was left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice
from typing import Final

from msgspec import Struct, field

from sabir.checks.selection import CodePattern, Selection
from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.diagnostics.rules import Rule
from sabir.errors import UsageError
from sabir.text import Place, Source, Span

UNUSED: Final = Rule(
    code="W901",
    title="suppression that suppresses nothing",
    why="The finding that the comment was written for is gone, or the code is misspelt. A suppression left behind would "
    "hide the next finding of that kind. Remove the comment; `--fix` does it.",
    examples="sabir.checks",
    fixable=True,
)

NO_REASON: Final = Rule(
    code="W902",
    title="suppression without a reason",
    why="Whoever reads the comment next year wants to know why the finding was not mended. Write the reason after the "
    "bracket. Off unless `require-reason` is set or the code is selected.",
    examples="sabir.checks",
    off_by_default=True,
)

NO_CODE: Final = Rule(
    code="W904",
    title="suppression that names no code",
    why="A suppression has to say what it suppresses, between brackets, so that other findings of the line stay visible: "
    "`# sabir: ignore[E006] reason`.",
    examples="sabir.checks",
)

_MOST: Final = 1000
"""Maximum number of comments of one file that are applied."""
# Compiled on import: this module is only imported for a suppression. A comment starts a line or follows a space; inside a word or
# a URL `#` does not start a comment.
_COMMENT: Final = re.compile(
    r"(?:^|(?<=\s))#[ \t]*sabir:[ \t]*ignore(?P<file>-file)?[ \t]*(?:\[(?P<codes>[^\]\n]{0,1000})\])?[ \t]*(?P<reason>[^\n\r]*)",
    re.MULTILINE,
)


class _Comment(Struct, kw_only=True):
    source: Source
    span: Span
    codes: dict[str, CodePattern]
    line: int | None
    """The line that the comment applies to; None for the whole file."""
    reason: str
    bad_words: tuple[str, ...]
    used: set[str] = field(default_factory=set[str])

    @property
    def place(self) -> Place:
        return Place(self.source, self.span)

    def takes(self, finding: Finding) -> bool:
        matching = [word for word, pattern in self.codes.items() if pattern.matches(finding.code)]
        self.used.update(matching)
        return bool(matching)


class SuppressionResult(Struct, frozen=True, kw_only=True):
    """The suppressed findings and those that remain, including findings about the comments."""

    findings: tuple[Finding, ...]
    hidden: tuple[Finding, ...] = ()


def apply_suppressions(
    findings: Iterable[Finding], sources: Iterable[Source], selection: Selection, *, complete: bool = True
) -> SuppressionResult:
    """Remove suppressed findings, and report comments that are unused, invalid or lack a reason.

    `complete` means that all checks have run: otherwise an unused comment may belong to a check that did not.
    """
    comments: dict[str, list[_Comment]] = {}
    by_line: dict[tuple[str, int | None], list[_Comment]] = {}
    for source in sources:
        comments[source.name] = [*_find_comments(source)]
        for comment in comments[source.name]:
            by_line.setdefault((source.name, comment.line), []).append(comment)
    kept: list[Finding] = []
    hidden: list[Finding] = []
    for finding in findings:
        keys = ((finding.filename, finding.location.line), (finding.filename, None))
        taken = [comment.takes(finding) for key in keys for comment in by_line.get(key, ())]
        (hidden if any(taken) else kept).append(finding)
    for of_line in comments.values():
        for comment in of_line:
            kept.extend(_check_comment(comment, selection, complete=complete))
    return SuppressionResult(findings=tuple(kept), hidden=tuple(hidden))


def _find_comments(source: Source) -> Iterator[_Comment]:
    about = _NextLine(source)
    for match in islice(_COMMENT.finditer(source.text), _MOST):
        codes: dict[str, CodePattern] = {}
        bad: list[str] = []
        for word in (match["codes"] or "").split(","):
            try:
                codes[word.strip()] = CodePattern.parse(word)
            except UsageError:
                bad.append(word.strip())
        yield _Comment(
            source=source,
            span=Span(match.start(), match.end()),
            codes=codes,
            line=None if match["file"] else about(match.start()),
            reason=match["reason"].strip(),
            bad_words=tuple(bad),
        )


class _NextLine:
    """Finds the line that a comment applies to.

    Comments come in order, so no line is scanned twice.
    """

    def __init__(self, source: Source) -> None:
        self._source = source
        self._last = len(source.line_starts)
        self._known = 0

    def __call__(self, offset: int) -> int:
        source = self._source
        line, column = source.line_column(offset)
        if source.line_text(line)[: column - 1].strip():
            return line
        line = max(line + 1, self._known)
        while line < self._last and source.line_text(line).strip()[:1] in ("", "#"):
            line += 1
        self._known = line
        return line


def _check_comment(comment: _Comment, selection: Selection, *, complete: bool) -> Iterator[Finding]:
    if comment.bad_words and selection.takes(NO_CODE.code):
        yield _report_bad_code(comment)
    if comment.codes and not comment.reason and selection.takes(NO_REASON.code, off_by_default=True):
        yield NO_REASON.at(
            comment.place,
            "this suppression gives no reason",
            hint="write after the bracket why the finding is not mended",
        )
    if complete and selection.takes(UNUSED.code):
        unused = [word for word in comment.codes if word not in comment.used]
        # With --select, a code may be unused only because it was not selected.
        if unused and not selection.select:
            yield _report_unused(comment, unused)


def _report_bad_code(comment: _Comment) -> Finding:
    word = next((word for word in comment.bad_words if word), None)
    message = "this suppression names no code" if word is None else f"{word!r} in this suppression is no code"
    hint = "write the codes between brackets, as in # sabir: ignore[E006] reason"
    return NO_CODE.at(comment.place, message, hint=hint)


def _report_unused(comment: _Comment, unused: list[str]) -> Finding:
    words = ", ".join(unused)
    target = "file" if comment.line is None else "line"
    return UNUSED.at(
        comment.place,
        f"nothing in this {target} is reported as {words}: the suppression is not needed",
        hint="remove it",
        fix=_build_removal(comment, unused),
    )


def _build_removal(comment: _Comment, unused: list[str]) -> Fix:
    text = comment.source.text
    left = [word for word in comment.codes if word not in unused]
    if left or comment.bad_words:
        written = comment.source.slice(comment.span)
        start, end = written.index("[") + 1, written.index("]")
        span = Span(comment.span.start + start, comment.span.start + end)
        edit = Edit(
            place=Place(comment.source, span), text=", ".join([*left, *filter(None, comment.bad_words)])
        )
        return Fix(title="take the code out of the suppression", edits=(edit,))
    start = comment.span.start
    while start and text[start - 1] in " \t":
        start -= 1
    end = comment.span.end
    alone = start == 0 or text[start - 1] == "\n"
    if alone and end < len(text):
        end = text.index("\n", end) + 1 if "\n" in text[end:] else len(text)
    edit = Edit(place=Place(comment.source, Span(start, end)), text="")
    return Fix(title="remove the suppression", edits=(edit,))
