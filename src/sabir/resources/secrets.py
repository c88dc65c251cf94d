"""Secrets by reference: a project contains a name, and a provider returns the value when a step needs it.

Each entry point of the group `sabir.secrets` names one `SecretProvider` object; the bundled ones are
registered the same way. A reference is a sensitive value like any other, so it is never displayed. Its secret
is read when a connection needs it, stays in memory for the time of the deployment, and is passed to the
target only.

A reference is not the secret. A string computed from one (`"password=" + reference`) would be wrong, so
`ComposedSecrets` and `find_composed` detect it.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct, field

from sabir.graph.secrets import Secrets, holds_sensitive
from sabir.graph.values import Sensitive, Value, with_inner
from sabir.resources.fields import Field

if TYPE_CHECKING:
    from sabir.resources.driver import DriverContext
    from sabir.text import Place


_WORD: Final = "$secret"
_EVALUATED: Final = frozenset({"eval", "ref", "q"})
_MARKING: Final = frozenset({"sensitive", "external", "file", "lookup"})
"""Functions of expressions whose results may be sensitive without any secret."""

COMPOSED_HINT: Final = "use the secret as the whole value"


class SecretSource(Struct, frozen=True, kw_only=True, eq=False):
    """The source of a secret, as `secrets:` of `sabir.yaml` defines it: `db-password: {env: DB_PASSWORD}`."""

    name: str
    provider: str
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    place: Place | None = None


class SecretProvider(Protocol):
    """Reads secrets from one kind of source."""

    @property
    def name(self) -> str: ...

    @property
    def main(self) -> str:
        """The setting that a plain string stands for: `{env: NAME}` is `{env: {variable: NAME}}`."""
        ...

    def settings(self) -> Mapping[str, Field]:
        """Return the settings of its sources."""
        ...

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        """Return the secret. Raises `DeployError` with the reason, which never contains the secret."""
        ...


def reference_to(name: str) -> Sensitive:
    """Return the value that stands for a secret."""
    return Sensitive({_WORD: name})


def is_reference(value: Value) -> bool:
    """Tell whether a value, marked sensitive or not, is a reference."""
    inner = value.value if isinstance(value, Sensitive) else value
    return isinstance(inner, Mapping) and inner.keys() == {_WORD}


def find_secret_names(value: Value) -> set[str]:
    """Return the names of all secrets that a value refers to."""
    if is_reference(value):
        inner = value.value if isinstance(value, Sensitive) else value
        return {str(inner[_WORD])}  # type: ignore[index,call-overload]  # it is a mapping
    match value:
        case Sensitive(value=inner):
            return find_secret_names(inner)
        case Mapping():
            return set().union(*map(find_secret_names, value.values()))
        case list() | tuple():
            return set().union(*map(find_secret_names, value))
        case _:
            return set()


def reveal_references(value: Value, secrets: Mapping[str, str]) -> Value:
    """Return the value with each reference replaced by its secret, still marked sensitive."""
    if is_reference(value):
        (name,) = find_secret_names(value)
        return Sensitive(secrets[name])
    return with_inner(value, lambda item: reveal_references(item, secrets))


def with_references(data: Any) -> Any:
    """Return the data of an expression with each literal `{secret: NAME}` as a reference.

    `{eval: {secret: NAME}}` is a function call and stays.
    """
    if isinstance(data, dict):
        if data.keys() == {"secret"} and isinstance(data["secret"], str):
            return reference_to(data["secret"])
        return {
            key: value if key in _EVALUATED and _is_call(value) else with_references(value)
            for key, value in data.items()
        }
    return [with_references(item) for item in data] if isinstance(data, list) else data


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and value.keys() == {"secret"}


class ComposedSecrets:
    """Finds references that became part of a string, in plain text or in a common encoding."""

    def __init__(self, names: Iterable[str]) -> None:
        self._patterns = [(name, _reference_text(name)) for name in sorted(names)]
        self._encoded = [(name, Secrets(_serialized(name))) for name, _ in self._patterns]

    def find(self, value: Value) -> str | None:
        """Return the name of a secret whose reference is part of a string anywhere in a value; None if there
        is none."""
        for text in _strings(value) if self._patterns else ():
            if _WORD in text:
                for name, pattern in self._patterns:
                    if pattern.search(text):
                        return name
            for name, encoded in self._encoded:
                if encoded.are_in(text):
                    return name
        return None


def find_composed(expression: Any, result: Value, read: Iterable[Value]) -> str | None:
    """Return the name of a secret whose reference an expression made part of a string; None if there is none.

    `read` are the values that the expression was computed from.
    """
    read = [*read]
    names = find_secret_names(expression).union(*map(find_secret_names, read))
    if not names:
        return None
    found = ComposedSecrets(names).find(result)
    if found is None and _is_consumed(result) and not _has_other_marks(expression, read):
        return min(
            names
        )  # the text of the reference is cut or hashed, but only a reference was there to be marked
    return found


def composed_message(name: str) -> str:
    """Return the message about a reference in a string."""
    return f"secret {name!r} cannot be part of a string"


def _reference_text(name: str) -> re.Pattern[str]:
    """Return a pattern for a reference as programs print mappings: in Python, JSON, JSON in a string, YAML."""
    word, quote = re.escape(_WORD), r"""\\*["']?"""
    return re.compile(rf"{quote}{word}{quote}\s*:\s*{quote}{re.escape(name)}(?![\w.-])")


def _serialized(name: str) -> Iterator[str]:
    reference = {_WORD: name}
    yield str(reference)
    yield json.dumps(reference)
    yield json.dumps(reference, separators=(",", ":"))


def _strings(value: Value) -> Iterator[str]:
    match value:
        case str():
            yield value
        case bytes():
            yield value.decode("utf-8", "replace")
        case Sensitive(value=inner):
            yield from _strings(inner)
        case Mapping():
            for key, item in value.items():
                yield str(key)
                yield from _strings(item)
        case list() | tuple():
            for item in value:
                yield from _strings(item)
        case _:
            return


def _is_consumed(value: Value) -> bool:
    """Tell whether a value contains a sensitive string."""
    match value:
        case Sensitive(value=str()):
            return True
        case Sensitive(value=inner):
            return not is_reference(value) and _is_consumed(inner)
        case Mapping():
            return any(map(_is_consumed, value.values()))
        case list() | tuple():
            return any(map(_is_consumed, value))
        case _:
            return False


def _has_other_marks(expression: Any, read: Iterable[Value]) -> bool:
    """Tell whether something other than a reference may have made a result sensitive."""
    return _calls_marking(expression) or any(_holds_other(value) for value in read)


def _holds_other(value: Value) -> bool:
    if is_reference(value):
        return False
    match value:
        case Sensitive(value=inner):
            return not find_secret_names(inner)
        case Mapping():
            return any(map(_holds_other, value.values()))
        case list() | tuple():
            return any(map(_holds_other, value))
        case _:
            return holds_sensitive(value)


def _calls_marking(expression: Any) -> bool:
    if isinstance(expression, dict):
        return any(key in _MARKING or _calls_marking(value) for key, value in expression.items())
    if isinstance(expression, list):
        return any(map(_calls_marking, expression))
    return isinstance(expression, str) and any(word in expression for word in _MARKING)
