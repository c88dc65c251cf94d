"""Undefined names of a template, all of them: a value that notes its use and lets the rendering go on."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from itertools import pairwise
from typing import Any, ClassVar, Protocol

from jinja2 import Undefined
from jinja2.exceptions import SecurityError
from msgspec import Struct

from sabir.expressions.template.findings import line_place
from sabir.expressions.template.tags import Token, read_names, read_tags
from sabir.text import Place, Source, Span


class UndefinedUse(Struct, frozen=True, kw_only=True, eq=False):
    """One use of an undefined name."""

    name: str
    """As far as it can be told with its path: `web.prot`."""
    line: int
    known: tuple[str, ...]
    """The names that are defined where it was looked for."""
    source: Source | None

    def place(self, fallback: Source) -> Place:
        source = self.source or fallback
        span = _span_of(self.name, _tokens_on(source, self.line))
        return line_place(source, self.line) if span is None else Place(source, span)


class Notebook(Protocol):
    """What the recorder needs of the environment that renders."""

    records: list[UndefinedUse]

    def source_of(self, name: str | None, fallback: Source) -> Source: ...


class UndefinedRecorder(Undefined):
    """An undefined value that notes its use. A subclass is made for each rendering, with its notebook."""

    notebook: ClassVar[Notebook]

    __slots__ = ()

    def _note(self, *_args: Any, **_named: Any) -> Any:
        if issubclass(self._undefined_exception, SecurityError):
            raise SecurityError(self._undefined_message)
        line, template = _current_template()
        name, holder = str(self._undefined_name), self._undefined_obj
        source = self.notebook.source_of(template.name, Source("", "")) if template is not None else None
        if source is not None and holder is not _NO_HOLDER:
            name = _with_path(name, _tokens_on(source, line))
        known = tuple(str(key) for key in holder) if isinstance(holder, dict) else ()
        self.notebook.records.append(UndefinedUse(name=name, line=line, known=known, source=source))
        return self

    def __str__(self) -> str:
        self._note()
        return ""

    def __iter__(self) -> Iterator[Any]:
        self._note()
        return iter(())

    def __bool__(self) -> bool:
        self._note()
        return False

    def __len__(self) -> int:
        self._note()
        return 0

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return self._note()

    __hash__ = object.__hash__

    def __eq__(self, other: object) -> bool:
        self._note()
        return self is other

    def __ne__(self, other: object) -> bool:
        return not self == other

    __call__ = __getitem__ = _note
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = _note
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = _note
    __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = _note
    __lt__ = __le__ = __gt__ = __ge__ = __contains__ = _note


class LenientRecorder(UndefinedRecorder):
    """One that does no more than Jinja2's own: it is empty and false, and fails where that would fail."""

    __slots__ = ()

    __getattr__ = Undefined.__getattr__
    __call__ = __getitem__ = Undefined.__getitem__
    __add__ = __radd__ = __sub__ = __rsub__ = __mul__ = __rmul__ = Undefined.__add__
    __truediv__ = __rtruediv__ = __floordiv__ = __rfloordiv__ = Undefined.__add__
    __mod__ = __rmod__ = __pow__ = __rpow__ = __neg__ = __pos__ = Undefined.__add__
    __lt__ = __le__ = __gt__ = __ge__ = Undefined.__lt__
    __hash__ = Undefined.__hash__

    def __eq__(self, other: object) -> bool:
        self._note()
        return isinstance(other, Undefined)

    def __contains__(self, item: object) -> bool:
        self._note()
        return False


_NO_HOLDER = Undefined()._undefined_obj  # pyright: ignore[reportPrivateUsage]  Jinja2's mark for `no holder`


def _current_template() -> tuple[int, Any]:
    """The line and the template whose code is running; Jinja2 tells neither to an undefined value."""
    frame = sys._getframe(2)  # pyright: ignore[reportPrivateUsage]  `inspect` is expensive to import
    while frame is not None:
        template = frame.f_globals.get("__jinja_template__")
        if template is not None:
            return template.get_corresponding_lineno(frame.f_lineno), template
        if frame.f_back is None:
            break
        frame = frame.f_back
    return 1, None


def _tokens_on(source: Source, line: int) -> list[Token]:
    """What stands in tags on a line."""
    start = source.offset(line)
    end = start + len(source.line_text(line))
    tags = read_tags(source.text).tags
    return [token for tag in tags for token in tag.tokens if start <= token.start < end]


def _span_of(name: str, tokens: list[Token]) -> Span | None:
    """Where a name stands: as it is, else the last part of it, by itself or as a key in quotes."""
    for written in read_names(tokens):
        if written.text == name or written.text.startswith(f"{name}."):
            return Span(written.start, written.start + len(name))
    last = name.rpartition(".")[2]
    for token in tokens:
        if token.text == last:
            return Span(token.start, token.end)
        if token.kind == "string" and token.text[1:-1] == last:
            return Span(token.start + 1, token.end - 1)
    return None


def _with_path(name: str, tokens: list[Token]) -> str:
    """An attribute or key with the names before it, as far as they are written on the line."""
    names = list(read_names(tokens))
    for written in names:
        parts = written.text.split(".")
        if name in parts[1:]:
            return ".".join(parts[: parts.index(name, 1) + 1])
    for bracket, key in pairwise(tokens):
        if bracket.text == "[" and key.kind == "string" and key.text[1:-1] == name:
            holder = next((written for written in names if written.span.end == bracket.start), None)
            return name if holder is None else f"{holder.text}.{name}"
    return name
