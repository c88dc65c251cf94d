"""Checkers of form that serve many keys: plain data in, findings out (spec 001, "Checkers")."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sabir.diagnostics.finding import Finding, Fix
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.source.yaml.nodes import Style, YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["is_null", "meta_shape", "one_of", "quoting", "string_value", "unknown_keys"]


def unknown_keys(
    report: Report, mapping: YamlMapping, known: Collection[str], *, code: str, what: str
) -> Iterator[Finding]:
    """Keys that the table of `what` does not have."""
    for key in mapping:
        if text_of(key) not in known:
            yield report.unknown(key, code, f"{what} has no key {shown(key)}", known, taken=mapping)


def string_value(
    report: Report, mapping: YamlMapping, key: str, *, code: str, what: str = ""
) -> Iterator[Finding]:
    """The value under a key, when there is one, must be a text."""
    value = mapping.get(key)
    if value is not None and text_of(value) is None and not is_null(value):
        message = f"{what or key} must be a text, not {kind_of(value)}"
        yield report.at(value, code, message, hint=_quote_hint(value), fix=quoting(report, value))


def quoting(report: Report, value: YamlNode) -> Fix | None:
    """Quotes around a number or the like, where a text is needed."""
    if not isinstance(value, YamlScalar) or value.style is not Style.PLAIN or value.tag is not None:
        return None
    # What begins with a quote or holds one is no number, date or boolean.
    return report.replacing(value, f'"{value.text}"', title="put it in quotes", safe=True)


def one_of(
    report: Report,
    value: YamlNode | None,
    allowed: Collection[str],
    *,
    code: str,
    what: str,
    required: bool = False,
) -> Iterator[Finding]:
    """A value of a closed set; where none is `required`, nothing behind the key is as good as no key."""
    if value is not None and (required or not is_null(value)) and text_of(value) not in allowed:
        yield report.unknown(value, code, f"{what} cannot be {shown(value)}", allowed, refused=True)


def meta_shape(report: Report, mapping: YamlMapping, *, code: str) -> Iterator[Finding]:
    """`Meta` is a mapping or a list of mappings; reported once."""
    meta = mapping.get("Meta")
    if meta is None or is_null(meta) or isinstance(meta, YamlMapping):
        return
    if isinstance(meta, YamlSequence) and all(isinstance(item, YamlMapping) for item in meta.items):
        return
    yield report.at(meta, code, f"Meta must be a mapping or a list of mappings, not {_meta_kind(meta)}")


def is_null(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and node.value is None


def _meta_kind(meta: YamlNode) -> str:
    if isinstance(meta, YamlSequence):
        other = next(item for item in meta.items if not isinstance(item, YamlMapping))
        return f"a list with {kind_of(other)}"
    return kind_of(meta)


def _quote_hint(value: YamlNode) -> str | None:
    if isinstance(value, YamlScalar):
        return f'put it in quotes: "{value.text}"'
    return None
