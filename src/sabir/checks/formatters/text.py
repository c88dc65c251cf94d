"""The text report: each finding with its source line, a marker below the line, and notes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from sabir.checks.formatters.formatter import BaseFormatter, FormatterOptions
from sabir.checks.formatters.palette import Palette, escape_control
from sabir.checks.report import PackageReport, Report
from sabir.diagnostics.finding import Finding, Frame, Severity
from sabir.text import Place, Span

_WIDTH: Final = 120
_LEAD: Final = 30
"""Characters shown before the marker when a line is too long."""
_TAB: Final = "    "


def finding_snippet(finding: Finding) -> tuple[str, str] | None:
    """Return the line of the finding and its line of carets, or None without a line to show."""
    return None if finding.whole_file else place_snippet(finding.place)


def place_snippet(place: Place) -> tuple[str, str] | None:
    """Return the first line of a place and its line of carets, or None if the line is blank.

    Long lines are shortened around the marker, hidden secrets stay hidden, and wide characters count as two columns.
    """
    source = place.source
    line = source.line_span(source.line_column(place.span.start)[0])
    text = source.display_text(line)
    if not text.strip():
        return None
    span = source.whole_secrets(place.span)
    start = min(len(source.display_text(Span(line.start, span.start))), len(text))
    end = max(start + 1, min(start + len(source.display_text(span)), len(text.rstrip())))
    first = max(0, start - _LEAD) if len(text) > _WIDTH else 0
    last = first + _WIDTH
    before, marked = text[first:start], text[start:end][: max(1, last - start)]
    lead, tail = "…" if first else "", "…" if last < len(text) else ""
    shown = lead + _plain_text(text[first:last]) + tail
    return shown, " " * _display_width(lead + _plain_text(before)) + "^" * max(
        1, _display_width(_plain_text(marked))
    )


def _plain_text(text: str) -> str:
    return escape_control(text.replace("\t", _TAB))


def _display_width(text: str) -> int:
    """Return the terminal columns of a text: wide characters take two, combining ones none."""
    if text.isascii():
        return len(text)
    import unicodedata

    return sum(
        0 if unicodedata.combining(char) else 2 if unicodedata.east_asian_width(char) in "WF" else 1
        for char in text
    )


_FRAMES_AT_EACH_END = 8


class TextFormatter(BaseFormatter):
    """Text for a terminal.

    Each finding is `file:line:column: CODE message`, the source line with a marker, the hint, the fix and related locations.
    """

    def format(self, report: Report) -> str:
        palette = Palette(on=self.options.color)
        if self.options.statistics:
            return "".join(f"{line}\n" for line in _statistics_lines(report, palette))
        blocks: list[str] = []
        for package, finding in report.findings():
            lines = [*finding_lines(finding, package, palette)]
            blocks.append("\n".join(lines[:1] if self.options.concise else lines) + "\n")
        return "".join(blocks)


class ConciseFormatter(TextFormatter):
    """One line for each finding."""

    def __init__(self, options: FormatterOptions | None = None) -> None:
        wanted = options or FormatterOptions()
        super().__init__(FormatterOptions(color=wanted.color, concise=True, statistics=wanted.statistics))


def finding_lines(
    finding: Finding, package: PackageReport | None = None, palette: Palette | None = None
) -> Iterator[str]:
    """Yield the lines of a finding. The first one is complete by itself and is the concise form."""
    paint = palette or Palette(on=False)
    owner = package or PackageReport(path="")
    location = finding.location
    place = escape_control(owner.display_path(location.file))
    if location.line:
        place += f":{location.line}:{location.column}"
    code = (paint.red if finding.severity is Severity.ERROR else paint.yellow)(finding.code)
    yield f"{paint.bold(place)}: {code} {escape_control(finding.message)}"
    shown = finding_snippet(finding)
    margin = len(str(location.line)) if shown else 0
    if shown:
        line, carets = shown
        yield f"  {paint.blue(f'{location.line} |')} {line}"
        yield f"  {paint.blue(' ' * margin + ' |')} {paint.red(carets)}"
    if finding.hint:
        yield f"  {' ' * margin}{paint.green('= ' + escape_control(finding.hint))}"
    if finding.fix is not None:
        how = "--fix" if finding.fix.safe else "--fix --unsafe-fixes"
        yield f"  {' ' * margin}{paint.green(f'= {how} would {escape_control(finding.fix.title)}')}"
    for related in finding.related:
        yield f"  {' ' * margin}{paint.dim(_format_place(related.place, owner) + ': ' + escape_control(related.message))}"
    for line in _format_frames(finding.frames, owner):
        yield f"  {' ' * margin}{paint.dim(line)}"


def _format_frames(frames: Sequence[Frame], package: PackageReport) -> Iterator[str]:
    """Yield the calls from the outermost in.

    Of a long chain only both ends, where it started and where it failed.
    """
    hidden = len(frames) - 2 * _FRAMES_AT_EACH_END
    for index, frame in enumerate(frames):
        if hidden > 1 and 0 <= index - _FRAMES_AT_EACH_END < hidden:
            if index == _FRAMES_AT_EACH_END:
                yield f"... {hidden} more calls"
            continue
        where = "" if frame.place is None else f" ({_format_place(frame.place, package)})"
        yield "in " + escape_control(frame.name) + where


def _format_place(place: Place, package: PackageReport) -> str:
    location = place.location
    return f"{escape_control(package.display_path(location.file))}:{location.line}:{location.column}"


def _statistics_lines(report: Report, palette: Palette) -> Iterator[str]:
    rows = report.statistics()
    if not rows:
        return
    count_width = max(len(str(count)) for _, count in rows)
    code_width = max(len(code) for code, _ in rows)
    rules = report.rules()
    for code, count in rows:
        title = rules[code].title if code in rules else ""
        yield f"{count:>{count_width}}  {palette.bold(f'{code:<{code_width}}')}  {title}".rstrip()
