"""How checkers speak: findings at the nodes of one file."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Edit, Finding, Fix, Related
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import is_respelt, near, only_near
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place, Source, Span

__all__ = ["Near", "Report", "kind_of", "shown"]

_LONGEST_QUOTE: Final = 60


class Near(Struct, frozen=True):
    """What may have been meant by a name that does not exist."""

    hint: str | None = None
    """`did you mean 'X'?`"""
    only: str | None = None
    """The name that a repair may write: the near one, when no second is as near."""


class Report:
    """Makes the findings of one file."""

    __slots__ = ("source",)

    def __init__(self, source: Source) -> None:
        self.source = source

    def near(self, name: str, known: Collection[str], *, sign: str = "") -> Near:
        """The known name that is nearest. `sign` is what stands before the name wherever it is written."""
        nearest = near(name, known)
        if nearest is None:
            return Near()
        only = only_near(name, known)
        return Near(f"did you mean {sign + nearest!r}?", sign + only if only else None)

    def at(
        self,
        node: YamlNode | Span,
        rule: Rule | str,
        message: str,
        *,
        hint: str | None = None,
        related: Iterable[tuple[YamlNode, str]] = (),
        fix: Fix | None = None,
    ) -> Finding:
        span = node if isinstance(node, Span) else node.span
        return Finding(
            code=_code_of(rule),
            message=message,
            place=Place(self.source, span),
            hint=hint,
            related=tuple(
                Related(place=Place(self.source, other.span), message=text) for other, text in related
            ),
            fix=fix,
        )

    def whole(self, rule: Rule | str, message: str, *, hint: str | None = None) -> Finding:
        return Finding.about_file(_code_of(rule), message, self.source, hint=hint)

    def unknown(
        self,
        node: YamlNode,
        rule: Rule | str,
        message: str,
        known: Iterable[str],
        *,
        taken: Iterable[YamlNode] = (),
        refused: bool = False,
    ) -> Finding:
        """A finding about a name that is not among the known ones, with the near one as a hint.

        `taken` are the other keys beside it, which a repair must not give twice; `refused`: the engine does not load
        what has such a name, so that writing it in the right capitals cannot change what it means.
        """
        known = sorted(known)
        written = text_of(node) or ""
        meant = self.near(written, known)
        fix = None
        if meant.only is not None and meant.only not in map(text_of, taken):
            fix = self.replacing(node, meant.only, safe=refused and is_respelt(written, meant.only))
        return self.at(node, rule, message, hint=meant.hint or _choices(known), fix=fix)

    def renaming(self, span: Span, old: str, new: str | None) -> Fix | None:
        """A fix that writes another name at the beginning of a span, when the old one stands there letter by letter."""
        if new is None or not old or not self.source.text.startswith(old, span.start):
            return None
        place = Place(self.source, Span(span.start, span.start + len(old)))
        return Fix(title=f"write {new!r}", edits=(Edit(place=place, text=new),), safe=False)

    def replacing(self, node: YamlNode, text: str, *, title: str | None = None, safe: bool = False) -> Fix:
        """A fix that writes something else in the place of a node."""
        edit = Edit(place=Place(self.source, node.span), text=text)
        return Fix(title=title or f"write {text!r}", edits=(edit,), safe=safe)


def _code_of(rule: Rule | str) -> str:
    return rule if isinstance(rule, str) else rule.code


def _choices(known: list[str]) -> str | None:
    return f"known here: {', '.join(known)}" if 0 < len(known) <= 20 else None


def shown(node: YamlNode) -> str:
    """The user's own words, short enough for a message."""
    if isinstance(node, YamlScalar):
        text = node.text if len(node.text) <= _LONGEST_QUOTE else node.text[: _LONGEST_QUOTE - 1] + "…"
        return repr(text)
    return kind_of(node)


def kind_of(node: YamlNode) -> str:
    """What a node is, in words."""
    if isinstance(node, YamlMapping):
        return "a mapping"
    if isinstance(node, YamlSequence):
        return "a list"
    match node.value:
        case None:
            return "nothing"
        case bool():
            return f"the boolean {node.text}"
        case int() | float():
            return f"the number {node.text}"
        case str():
            return "a text"
        case _:
            return f"the value {node.text}"
