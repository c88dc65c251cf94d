"""The steps of values that no statement wrote."""

from __future__ import annotations

from collections.abc import Iterator

from sabir.languages.muranopl.model.properties import PropertyDeclaration
from sabir.provenance import Step, ValueSource

__all__ = ["FirstValue"]


class FirstValue(Step, eq=False, kw_only=True):
    """The first value of a property: given, or its default; then what the contract made of it. Its site is found when the
    chain is told, for most first values are never asked about."""

    declaration: PropertyDeclaration
    object_id: str | None
    is_converted: bool
    giver: Step | None = None
    """What gave it, when code did; None: the model, or nobody."""
    maker: Step | None = None
    """What made the object, when nobody gave the value: then its class decides."""

    def sources(self) -> Iterator[ValueSource]:
        yield from self.reads
        if self.giver is not None:
            yield self.giver
        if self.maker is not None:
            yield self.maker
