"""What deployments gave back, as instances read it: once for an evaluation, or again and again while a deployment runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import unquote

from sabir.expressions.query.dependents import OUTSIDE, Dependents
from sabir.expressions.query.values import MISSING
from sabir.graph.address import escaped
from sabir.graph.values import Unknown, Value, reveal
from sabir.resources.observations import Followed, Mark

__all__ = ["Following", "Observed", "awaited_attribute", "literal"]


class Observed:
    """By the texts of addresses. Values are looked up one by one: while a deployment runs there are more and more of them, and
    each operation needs a few."""

    def __init__(self, values: Mapping[str, Value]) -> None:
        self._values = values
        self._keys: dict[str, dict[str, None]] | None = None

    @property
    def dependents(self) -> Dependents | None:
        """Who has read what, when these values may change."""
        return None

    def value(self, instance: str, key: str) -> Any:
        """Of an attribute of an instance, which is told by its key, not by the text of its address; MISSING: none."""
        if not self._values:
            return MISSING
        return self._value(f"{escaped(instance)}|{escaped(key)}")

    def _value(self, address: str) -> Any:
        value = self._values.get(address, MISSING)
        return MISSING if value is MISSING else literal(value)

    def keys(self, instance: str) -> Sequence[str]:
        if self._keys is None:
            self._keys = {}
            for address in self._values:
                text, _, attribute = address.partition("|")
                self._keys.setdefault(text, {})[attribute] = None
        return [unquote(attribute) for attribute in self._keys.get(escaped(instance), ())]


class Following(Observed):
    """What has been observed by now. When it changes, what was computed from it is forgotten, and nothing else."""

    def __init__(self) -> None:
        self._dependents = Dependents()
        self._mark: Mark | None = None
        self._now: dict[str, Value] = {}
        super().__init__(self._now)

    @property
    def dependents(self) -> Dependents:
        return self._dependents

    def value(self, instance: str, key: str) -> Any:
        address = f"{escaped(instance)}|{escaped(key)}"
        self._dependents.read(address)
        return self._value(address)

    def keys(self, instance: str) -> Sequence[str]:
        self._dependents.read(escaped(instance))
        return super().keys(instance)

    def follow(self, values: Mapping[str, Value]) -> None:
        """Go on with these values. What rests on the world outside is forgotten, too: nobody says when that changes."""
        changed, self._mark = (
            values.changed_since(self._mark) if isinstance(values, Followed) else (None, None)
        )
        if changed is None:
            changed = self._differing(values)
        sources = [OUTSIDE]
        for address in changed:
            sources.append(address)
            is_there = address in values
            if is_there is not (address in self._now):
                instance, _, attribute = address.partition("|")
                sources.append(instance)
                self._lists(instance, attribute, is_there=is_there)
            if is_there:
                self._now[address] = values[address]
            else:
                self._now.pop(address, None)
        self._dependents.changed(sources)

    def _lists(self, instance: str, attribute: str, *, is_there: bool) -> None:
        if self._keys is None:
            return
        attributes = self._keys.setdefault(instance, {})
        if is_there:
            attributes[attribute] = None
        else:
            attributes.pop(attribute, None)

    def _differing(self, values: Mapping[str, Value]) -> Iterable[str]:
        now = self._now
        names = dict.fromkeys((*now, *values))
        return [name for name in names if now.get(name, MISSING) is not values.get(name, MISSING)]


def awaited_attribute(instance: str, key: str) -> Unknown:
    """Of an instance, which is told by its key: a value that only a deployment can know."""
    return Unknown(of=f"{escaped(instance)}|{escaped(key)}", why="it is known once the node runs")


def literal(value: Value) -> Any:
    """What a script gave out is a value, never an expression, whatever it looks like."""
    plain = reveal(value)
    is_plain_text = isinstance(plain, str) and "{{" not in plain and "{%" not in plain
    if is_plain_text or not isinstance(plain, str | Mapping | list | tuple):
        return value
    return {"eval": {"q": value}}
