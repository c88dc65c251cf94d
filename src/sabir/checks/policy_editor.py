"""Editor support for policy files: document symbols and completion.

A file is recognized as a policy file by its contents: a mapping with the list `rules`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from sabir.checks.policy import RULE_KEYS
from sabir.source.packages import PackageFile
from sabir.source.symbols import Candidate, Symbol, SymbolKind
from sabir.source.yaml.access import value_at
from sabir.source.yaml.cursor import locate_cursor, text_symbols
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlSequence, text_of
from sabir.text import Span

_RULES = "rules"


def policy_symbols(file: PackageFile) -> tuple[Symbol, ...]:
    """Return the list of rules as a symbol with one child per rule.

    Empty for a file that is not a policy file.
    """
    root = file.yaml.documents[0] if file.yaml.documents else None
    listed = value_at(root, _RULES)
    if not isinstance(root, YamlMapping) or not isinstance(listed, YamlSequence):
        return ()
    key = next(key for key in root if text_of(key) == _RULES)
    return (
        Symbol(
            key=f"policy {file.name}",
            name=_RULES,
            kind=SymbolKind.MODULE,
            span=key.span,
            extent=Span(key.span.start, listed.span.end),
            detail=f"{len(listed.items)} rules" if len(listed.items) != 1 else "1 rule",
            children=tuple(_rule_symbols(listed)),
        ),
    )


def _rule_symbols(listed: YamlSequence) -> Iterator[Symbol]:
    for item in listed.items:
        yield from text_symbols(
            "rule ",
            value_at(item, "code"),
            item,
            SymbolKind.CONSTANT,
            detail=text_of(value_at(item, "message")),
            about=_rule_description(item),
        )


def _rule_description(item: YamlNode) -> str | None:
    said = [text_of(value_at(item, key)) for key in ("why", "hint")]
    return "\n\n".join(text for text in said if text) or None


def policy_candidates(file: PackageFile, offset: int) -> Sequence[Candidate]:
    """Return the keys to complete at an offset: `rules` at the top level, or the keys of a rule."""
    place = locate_cursor(file.source, offset)
    match place.path, place.key:
        case (), None:
            keys: Sequence[str] = (_RULES,)
        case (("rules",), None):
            keys = RULE_KEYS
        case _:
            keys = ()
    return [Candidate(text=key, kind=SymbolKind.KEYWORD) for key in keys]
