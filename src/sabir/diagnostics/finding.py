"""The one finding type of all languages and interfaces; spec 001 calls it `CheckerError`."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from msgspec import Struct

from sabir.text import EMPTY_SPAN, Location, Place, Source, Span

Widened = TypeVar("Widened", bound="Finding")


class Severity(Enum):
    """The severity of a finding; the letter of its code determines it."""

    ERROR = "error"
    WARNING = "warning"


class RelatedLocation(Struct, frozen=True, kw_only=True):
    """A second place that belongs to a finding: where the name was first given, who called, what it contradicts."""

    place: Place
    message: str


class Frame(Struct, frozen=True, kw_only=True):
    """One step of the way that led to a failure, innermost last: `name` is a method, refinement or template."""

    place: Place | None
    name: str


class Edit(Struct, frozen=True, kw_only=True):
    """Replace a span of a source by a text."""

    place: Place
    text: str


class Fix(Struct, frozen=True, kw_only=True):
    """A mechanical repair. A safe one never changes what the description means."""

    title: str
    edits: tuple[Edit, ...]
    safe: bool = True
    holds_secret: bool = False
    """Whether a secret stands in what is written; it can be applied then, but not shown."""


class Finding(Struct, frozen=True, kw_only=True):
    """Something a user should know about a text: code, message, place.

    Attributes of spec 001 are there by their names: `code`, `message`, `filename`, `line` and `column` (from 0),
    `source` (the line with a caret below). `location` counts from 1, as every report does.
    """

    code: str
    message: str
    place: Place
    whole_file: bool = False
    """True when the finding is about the file as such; then it has no line."""
    hint: str | None = None
    """What to do next; the near name."""
    related: tuple[RelatedLocation, ...] = ()
    frames: tuple[Frame, ...] = ()
    fix: Fix | None = None

    @staticmethod
    def about_file(code: str, message: str, file: str | Source, *, hint: str | None = None) -> Finding:
        """A finding about a whole file, which need not exist or be readable."""
        source = file if isinstance(file, Source) else Source(file, "")
        return Finding(
            code=code, message=message, place=Place(source, EMPTY_SPAN), whole_file=True, hint=hint
        )

    def convert_to(self, kind: type[Widened], **more: Any) -> Widened:
        """The same finding as one of a kind that tells more."""
        return kind(**{name: getattr(self, name) for name in Finding.__struct_fields__}, **more)

    @property
    def severity(self) -> Severity:
        return Severity.WARNING if self.code.rpartition(":")[2].startswith("W") else Severity.ERROR

    @property
    def location(self) -> Location:
        return Location(self.filename, 0, 0) if self.whole_file else self.place.location

    @property
    def filename(self) -> str:
        return self.place.source.name

    @property
    def line(self) -> int | None:
        return None if self.whole_file else self.location.line - 1

    @property
    def column(self) -> int | None:
        return None if self.whole_file else self.location.column - 1

    @property
    def source(self) -> str | None:
        """The line of the finding with a caret under its column, when the text is at hand."""
        if self.whole_file:
            return None
        source = self.place.source
        line = source.line_span(self.place.location.line)
        text = source.display_text(line)
        if not text.strip():
            return None
        before = source.display_text(Span(line.start, source.whole_secrets(self.place.span).start))
        # Tabs are kept in the padding, so that the caret stands right however wide a terminal shows them.
        padding = "".join("\t" if char == "\t" else " " for char in before)
        return f"{text}\n{padding}^"

    @property
    def sort_key(self) -> tuple[str, int, int, str, str]:
        """Reports are sorted by file, place, code and message, so that two runs give the same text."""
        location = self.location
        return location.file, location.line, location.column, self.code, self.message


CheckerError = Finding
CheckError = Finding
