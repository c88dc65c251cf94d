"""Values from outside the model: inputs for variables of `main.cf`, overrides for attributes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.expressions.patterns import PatternRefusedError
from sabir.graph.origin import How, Origin
from sabir.graph.values import Value, reveal_all
from sabir.languages.inmanta.evaluate.instance_names import find_assigned_variable, index_name
from sabir.languages.inmanta.evaluate.scopes import WriteSite
from sabir.languages.inmanta.evaluate.values import ModelInstance
from sabir.languages.inmanta.model.types import format_value
from sabir.text import Location, Place, Source, Span


class ModelInputs:
    """The inputs and overrides of a request.

    An input replaces the variable's own assignment, which then serves as the default.
    """

    def __init__(
        self,
        inputs: Mapping[str, Value] = MappingProxyType({}),
        origins: Mapping[str, Origin] = MappingProxyType({}),
        overrides: Mapping[str, Value] = MappingProxyType({}),
        facts: Mapping[tuple[str, str], str] = MappingProxyType({}),
    ) -> None:
        self.inputs = inputs
        self.origins = origins
        self.overrides = overrides
        self.facts = facts
        """What is known about resources, by their ids and the names of the facts."""
        self.start()

    def start(self) -> None:
        """Reset the state for another run over the same model."""
        self._counts: dict[str, int] = {}
        self._used: dict[str, ModelInstance] = {}
        self._names: list[str] = []

    def check_inputs(self, variables: Mapping[str, int]) -> None:
        for name in self.inputs:
            if name not in variables:
                hint = did_you_mean(name, variables)
                raise UsageError(
                    f"main.cf assigns no variable {name!r} that an input could replace"
                    + (f"; {hint}" if hint else "")
                )

    def origin(self, name: str) -> Origin:
        """Return the origin of an input: that of the computed value, or the request itself."""
        computed = self.origins.get(name)
        sources = () if computed is None else (computed,)
        place = computed.place if computed is not None else Location("<input>", 0, 0)
        return Origin(place, How.INPUT, sources, name)

    def value(self, name: str) -> Any:
        return plain_value(reveal_all(self.inputs[name]))

    def apply(self, instance: ModelInstance) -> None:
        """Set the overridden attributes of a new instance."""
        entity = instance.entity
        number = self._counts[entity.shown] = self._counts.get(entity.shown, 0) + 1
        short = entity.shown.rpartition("::")[2]
        names = [f"{entity.shown}#{number}", f"{short}#{number}"]
        if entity.indexes:
            name = index_name(instance)
            names += [f"{entity.shown}/{name}", name]
        else:
            names += _plain_names(instance)
        self._names += names
        for subject, value in self.overrides.items():
            target, _, attribute = subject.rpartition(".")
            if target in names:
                if self._used.setdefault(subject, instance) is not instance:
                    raise UsageError(
                        f"{target!r} is the name of several instances; use {names[1]!r} or the like"
                    )
                self._set(instance, subject, attribute, plain_value(value))

    def _set(self, instance: ModelInstance, subject: str, attribute: str, value: Any) -> None:
        prop = instance.entity.all_properties.get(attribute)
        if prop is None or prop.type is None:
            hint = did_you_mean(attribute, instance.entity.property_names)
            raise UsageError(
                f"{instance.entity.shown!r} has no attribute {attribute!r}" + (f"; {hint}" if hint else "")
            )
        try:
            fits = prop.type.accepts(value)
        except PatternRefusedError as problem:
            raise UsageError(f"{subject}: {problem}") from None
        if not fits:
            raise UsageError(f"{subject} is a {prop.type.name}, and {format_value(value)} is not")
        slot = instance.entity.slots[attribute]
        instance.values[slot] = value
        text = f"{subject} = {format_value(value)}"
        place = Place(Source("<what if>", text), Span(0, len(text)))
        if instance.writes is None:
            instance.writes = {}
        instance.writes[slot] = WriteSite(place, How.OVERRIDE)

    def check_overrides(self) -> None:
        for subject in self.overrides:
            if subject not in self._used:
                target = subject.rpartition(".")[0]
                hint = did_you_mean(target, self._names)
                raise UsageError(f"there is no instance {target!r}" + (f"; {hint}" if hint else ""))


def _plain_names(instance: ModelInstance) -> list[str]:
    """Return the display names of an instance without an index, as far as they are known at its creation."""
    slot = instance.entity.slots.get("name")
    called = instance.values[slot] if slot is not None else None
    names = [called] if isinstance(called, str) and called else []
    variable = find_assigned_variable(instance.site) if instance.maker is None else None
    return names if variable is None else [*names, variable]


def plain_value(value: Any) -> Any:
    """Return a graph value as a value of the language."""
    if isinstance(value, Mapping):
        return {str(key): plain_value(item) for key, item in value.items()}
    if isinstance(value, Sequence) and not isinstance(value, str | bytes):
        return [plain_value(item) for item in value]
    return value
