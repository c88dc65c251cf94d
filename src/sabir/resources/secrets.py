"""Secrets by reference: what stands in a description is a name, and a provider gives the value when a step needs it.

The entry point group `sabir.secrets` names one `SecretProvider` object each; ours come through the same door. A reference is a
sensitive value like any other, so it is never shown; what it stands for is read when a connection is asked for something,
is kept in memory as long as the deployment runs, and goes to the target and nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final, Protocol

from msgspec import Struct, field

from sabir.graph.values import Sensitive, Value, with_inner
from sabir.resources.fields import Field

if TYPE_CHECKING:
    from sabir.resources.driver import DriverContext
    from sabir.text import Place

__all__ = ["SecretProvider", "SecretSource", "is_reference", "reference_to", "referred_names", "revealed"]

_WORD: Final = "$secret"


class SecretSource(Struct, frozen=True, kw_only=True, eq=False):
    """Where a secret comes from, as `secrets:` of `sabir.yaml` says it: `db-password: {env: DB_PASSWORD}`."""

    name: str
    provider: str
    settings: Mapping[str, Value] = field(default_factory=dict[str, Value])
    place: Place | None = None


class SecretProvider(Protocol):
    @property
    def name(self) -> str: ...

    @property
    def main(self) -> str:
        """The setting that is meant where only a text is given: `{env: NAME}` is `{env: {variable: NAME}}`."""
        ...

    def settings(self) -> Mapping[str, Field]:
        """What it needs to know."""
        ...

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        """The secret; a `DeployError` that says why it cannot be had, without it."""
        ...


def reference_to(name: str) -> Sensitive:
    """The value that stands for a secret."""
    return Sensitive({_WORD: name})


def is_reference(value: Value) -> bool:
    """Whether a value, marked or not, is a reference."""
    inner = value.value if isinstance(value, Sensitive) else value
    return isinstance(inner, Mapping) and inner.keys() == {_WORD}


def referred_names(value: Value) -> set[str]:
    """The secrets that a value refers to, anywhere in it."""
    if is_reference(value):
        inner = value.value if isinstance(value, Sensitive) else value
        return {str(inner[_WORD])}  # type: ignore[index,call-overload]  # it is a mapping
    match value:
        case Sensitive(value=inner):
            return referred_names(inner)
        case Mapping():
            return set().union(*map(referred_names, value.values()))
        case list() | tuple():
            return set().union(*map(referred_names, value))
        case _:
            return set()


def revealed(value: Value, secrets: Mapping[str, str]) -> Value:
    """The value with each reference replaced by what it stands for, still marked."""
    if is_reference(value):
        (name,) = referred_names(value)
        return Sensitive(secrets[name])
    return with_inner(value, lambda item: revealed(item, secrets))
