"""Constructors, compiled: an instance is made as soon as its identifying properties are known."""

from __future__ import annotations

from copy import copy
from typing import TYPE_CHECKING, Any

from msgspec.structs import replace

from sabir.diagnostics.suggestions import did_you_mean
from sabir.graph.origin import How
from sabir.languages.inmanta.evaluate.constructors import Constructor
from sabir.languages.inmanta.evaluate.identified import IdentifiedConstructor
from sabir.languages.inmanta.evaluate.reading import kept_reader, self_reader
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.values import Frame, Instance, Read
from sabir.languages.inmanta.evaluate.writing import stop
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.names import CALL
from sabir.languages.inmanta.model.types import TYPE, shown_value
from sabir.languages.inmanta.syntax import nodes

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.compiler import Compiler

__all__ = ["ConstructionCompiler"]


class ConstructionCompiler:
    def __init__(self, compiler: Compiler) -> None:
        self.compiler = compiler
        self.engine = compiler.engine

    def nested_construct(self, node: nodes.Construct, scope: Scope) -> Read:
        """A constructor inside a larger statement: should the statement wait and run again, it is not run again."""
        return kept_reader(self.construct(node, scope), scope.layout.slot())

    def construct(self, node: nodes.Construct, scope: Scope) -> Read:
        entity = self.compiler.definitions.constructed(node, scope.space)
        place = nodes.place_of(scope.space.source, node)
        if entity is None:  # reported before anything runs
            raise AssertionError(node.entity)
        refined = [depth for inner, depth in scope.chain() if inner.entity is not None]
        site = Site(
            place,
            How.REFINEMENT if refined else How.CONSTRUCTOR,
            scope.refinement,
            frozenset(argument.name for argument in node.arguments if argument.name is not None),
            {
                argument.name: nodes.place_of(scope.space.source, argument.value)
                for argument in node.arguments
                if argument.name
            },
            scope.space.module.commit if scope.space.module is not None else None,
            {
                argument.name: argument.value
                for argument in node.arguments
                if argument.name and argument.start != node.start
            },
            scope,
        )
        maker = self_reader(refined[0]) if refined else None
        kind = IdentifiedConstructor if entity.indexes else Constructor
        constructor = kind(self, entity, node, scope, site, maker)
        if any(argument.unpack for argument in node.arguments):
            return _unpacked(constructor)
        return constructor.reader()

    def argument(self, read: Read, argument: nodes.Argument) -> Read:  # noqa: ARG002
        """The read of one argument of a constructor, or of the dict of a `**`."""
        return read

    def unpacked(self, value: Any, argument: nodes.Argument) -> Read:  # noqa: ARG002
        """The read of an argument that a `**` brought."""
        return lambda _: value


def _unpacked(constructor: Constructor) -> Read:
    """With `**dict`: what is set is known only when the dicts are."""
    site = constructor.site

    def construct(frame: Frame) -> Instance:
        entries: dict[str, Any] = {}
        for unpack in constructor.unpacks:
            for name, value in _entries(constructor, unpack(frame)):
                if name in entries or name in site.explicit:
                    raise stop(CALL, f"{name!r} is set twice in this constructor", site.place)
                entries[name] = value
        instance: Instance = _completed(constructor, entries).reader()(frame)
        return instance

    return construct


def _entries(constructor: Constructor, value: Any) -> list[tuple[str, Any]]:
    entity, place = constructor.entity, constructor.site.place
    if not isinstance(value, dict):
        raise stop(TYPE, f"'**' takes a dict, not {shown_value(value)}", place)
    for name in value:
        if name not in entity.all_properties:
            raise stop(
                UNKNOWN_NAME,
                f"{entity.shown!r} has no attribute {name!r}, which the dict sets",
                place,
                hint=did_you_mean(name, entity.property_names),
            )
    return list(value.items())


def _completed(base: Constructor, entries: dict[str, Any]) -> Constructor:
    """One run of a constructor with `**dict`: its entries are arguments whose values are known."""
    constructor, entity = copy(base), base.entity
    constructor.site = replace(base.site, explicit=base.site.explicit | frozenset(entries))
    constructor.attributes = list(base.attributes)
    constructor.relations = list(base.relations)
    for name, value in entries.items():
        prop = entity.all_properties[name]
        argument = nodes.Argument(base.node.start, base.node.end, name, base.node, False)
        read = base.owner.unpacked(value, argument)
        if prop.target is None:
            constructor.attributes.append((entity.slots[name], read, prop, argument))
        else:
            constructor.relations.append((prop, read, argument))
    return constructor
