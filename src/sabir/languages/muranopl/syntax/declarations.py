"""What declarations of properties, methods and arguments have in common: a name, a Contract, a Usage, Meta, known keys."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.differences import IGNORED_KEY, LOOSE_NAME, META_BY_NAME
from sabir.languages.muranopl.syntax.names import is_short_name
from sabir.languages.muranopl.syntax.nodes import Constant, Value
from sabir.languages.muranopl.syntax.report import shown
from sabir.languages.muranopl.syntax.shapes import UNKNOWN_KEY, is_null, meta_shape, unknown_keys
from sabir.languages.muranopl.syntax.values import read_value
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import EMPTY_SPAN, Span

__all__ = [
    "is_absent",
    "keys_are_known",
    "read_choice",
    "read_meta",
    "read_name",
    "read_optional",
    "without_value",
]

META_FORM: Final = package_rule(
    "MPL:E049",
    "Meta is malformed",
    "Meta is a mapping, or a list of mappings, of meta-classes to their properties.",
)
MEMBER_NAME: Final = package_rule(
    "MPL:E054",
    "a malformed property, method or argument name",
    "Names are letters, digits and underscores. Only .init and .destroy begin with a dot.",
)


def read_name(
    key: YamlNode, kind: str, defects: Defects, *, strict: bool = True, special: Collection[str] = ()
) -> str:
    """The name of a member as it is written, also when it is malformed; `strict` names are those of spec 001."""
    written = text_of(key)
    if written is None and isinstance(key, YamlScalar):
        written = key.text
    name = written or ""
    well_formed = text_of(key) is not None and ((name.isascii() and name.isidentifier()) or name in special)
    if well_formed:
        return name
    # YAML 1.1 reads `on`, `yes` … as booleans; as a name they are what was written.
    is_word = isinstance(key, YamlScalar) and isinstance(key.value, str | bool)
    # What the engine takes for a name: also with a dot before it, as `.init` has.
    is_loose = is_word and is_short_name(name.removeprefix("."))
    if strict or not is_loose:
        article = "an" if kind[0] in "aeiou" else "a"
        message = f"{article} {kind} cannot be called {shown(key)}"
        defects.at(key, MEMBER_NAME, message, difference=LOOSE_NAME if is_loose else None)
    return name


def is_absent(value: YamlNode | None) -> bool:
    """Whether there is no key, or nothing behind it."""
    return value is None or is_null(value)


def keys_are_known(declared: YamlMapping, keys: Collection[str], owner: str, defects: Defects) -> bool:
    """Reports the keys that a declaration cannot have; False when there are some."""
    unknown = list(unknown_keys(defects.report, declared, keys, code=UNKNOWN_KEY, what=owner))
    for finding in unknown:
        defects.reported(finding, IGNORED_KEY)
    return not unknown


def read_choice(
    declared: YamlMapping, key: str, allowed: Collection[str], *, code: Rule, what: str, defects: Defects
) -> tuple[str | None, Span]:
    """A word of a closed set with its place; None when there is none, or one that does not exist."""
    value = declared.get(key)
    if value is None or is_null(value):
        return None, EMPTY_SPAN
    text = text_of(value)
    if text is not None and text in allowed:
        return text, value.span
    message = f"{what} cannot be {shown(value)}"
    defects.reported(defects.report.unknown(value, code, message, allowed, refused=True))
    return None, EMPTY_SPAN


def read_meta(declared: YamlMapping, defects: Defects) -> Value | None:
    for finding in meta_shape(defects.report, declared, code=META_FORM):
        defects.reported(finding, META_BY_NAME if _names_classes(declared.get("Meta")) else None)
    return read_optional(declared, "Meta")


def _names_classes(meta: YamlNode | None) -> bool:
    """Whether Meta is made of names (`Meta: m:Title`) and mappings."""
    items = meta.items if isinstance(meta, YamlSequence) else (meta,)
    return all(isinstance(item, YamlMapping) or text_of(item) is not None for item in items)


def read_optional(declared: YamlMapping, key: str) -> Value | None:
    """The value under a key; a key without a value is the value null, not a missing one."""
    value = declared.get(key)
    if value is None:
        return None
    return Constant(span=value.span, value=None, node=value) if is_null(value) else read_value(value)


def without_value(span: Span) -> Constant:
    """Stands where a value is missing, so that what is around it can be used."""
    return Constant(span=span, value=None, node=YamlScalar.at(span, "", None))
