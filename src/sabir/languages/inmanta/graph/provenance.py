"""What values were computed from, for the long answer of `why`: found from the text of the statement that made them.

A variable leads to the statements that assign it, and on to what those read; an attribute of the instance that is
refined leads to that attribute.
"""

from __future__ import annotations

from sabir.graph.origin import AttributeRead, How, Origin
from sabir.languages.inmanta.evaluate.given import Given
from sabir.languages.inmanta.evaluate.model import Model
from sabir.languages.inmanta.evaluate.scopes import Scope
from sabir.languages.inmanta.evaluate.sites import Site
from sabir.languages.inmanta.evaluate.values import Instance, Pending
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.project import MAIN
from sabir.source.text import Location

__all__ = ["Provenance", "input_origin"]

_DEEPEST = 20
_Sources = tuple[Origin | AttributeRead, ...]


class Provenance:
    def __init__(self, model: Model, ids: dict[Instance, str], given: Given) -> None:
        self.model = model
        self.given = given
        self.ids = ids
        self._variables: dict[int, Origin] = {}

    def of_maker(self, instance: Instance) -> _Sources:
        """The instance whose refinement made this one, through the origin of that one."""
        maker = instance._maker
        if maker is None:
            return ()
        note = f"refinement of {self.ids[maker]}"
        return (Origin(maker._site.place, maker._site.how, self.of_maker(maker), note),)

    def explained(self, instance: Instance, name: str, origin: Origin) -> Origin:
        """The origin of a property with what it rests on."""
        site = self._site(instance, name)
        if site is None or site.expressions is None or site.scope is None:
            return origin
        expression = site.expressions.get(name) or site.expressions.get("")
        if expression is None:
            return origin
        refined = instance._maker if site is instance._site else self._refined(instance, site)
        sources = self._rests_on(expression, site.scope, refined, 0)
        return Origin(origin.place, origin.how, sources, origin.note)

    def _site(self, instance: Instance, name: str) -> Site | None:
        slot = instance._entity.slots[name]
        if instance._writes is not None and slot in instance._writes:
            return instance._writes[slot]
        return instance._site if name in instance._site.explicit else None

    def _refined(self, instance: Instance, site: Site) -> Instance | None:
        """The instance an assignment in a refinement speaks of: mostly the one it writes to."""
        return instance if site.refinement is not None else None

    def _rests_on(
        self, node: nodes.Expression, scope: Scope, refined: Instance | None, depth: int
    ) -> _Sources:
        """What an expression reads, and what decided that its statement runs: conditions and lists of loops."""
        found = self._sources(node, scope, refined, depth)
        for inner, _ in scope.chain():
            if inner.parent is None or depth > _DEEPEST:
                continue
            for control in inner.controls:
                place = nodes.place_of(inner.space.source, control)
                read = self._sources(control, inner.parent, refined, depth + 1)
                found += (Origin(place, How.ASSIGNMENT, read, "decides whether this runs"),)
        return found

    def _sources(
        self, node: nodes.Expression, scope: Scope, refined: Instance | None, depth: int
    ) -> _Sources:
        found: dict[object, Origin | AttributeRead] = {}
        if depth > _DEEPEST:
            return ()
        for path in paths_in(node):
            read = self._path(path, scope, refined, depth)
            if read is not None:
                found.setdefault(path, read)
        return tuple(found.values())

    def _path(
        self, path: tuple[str, ...], scope: Scope, refined: Instance | None, depth: int
    ) -> Origin | AttributeRead | None:
        name = path[0]
        for inner, _ in scope.chain():
            if name == "self" and inner.entity is not None and len(path) > 1 and refined is not None:
                return self._attribute(refined, path[1:])
            writers = inner.writers.get(name)
            if writers and isinstance(writers[0], nodes.Assign):
                return self._variable(writers[0], inner, refined, depth)
            if name in inner.names:
                given = inner.parent is None and inner.space.name == MAIN and name in self.given.inputs
                return input_origin(name, self.given) if given else None
            if inner.entity is not None and refined is not None and name in refined._entity.slots:
                return self._attribute(refined, path)
        return None

    def _attribute(self, instance: Instance, path: tuple[str, ...]) -> AttributeRead | None:
        for name in path[:-1]:
            slot = instance._entity.slots.get(name)
            following = instance._values[slot] if slot is not None else None
            if not isinstance(following, Instance) or isinstance(following, Pending):
                return AttributeRead(self.ids[instance], name)
            instance = following
        return AttributeRead(self.ids[instance], path[-1])

    def _variable(self, writer: nodes.Assign, scope: Scope, refined: Instance | None, depth: int) -> Origin:
        known = self._variables.get(id(writer)) if refined is None else None
        if known is None:
            place = nodes.place_of(scope.space.source, writer)
            literal = isinstance(writer.value, nodes.Literal)
            sources = self._rests_on(writer.value, scope, refined, depth + 1)
            target = writer.target
            note = f"variable {target.name}"
            known = Origin(place, How.LITERAL if literal else How.ASSIGNMENT, sources, note)
            if refined is None:
                self._variables[id(writer)] = known
        return known


def input_origin(name: str, given: Given) -> Origin:
    """Where an input came from: from somebody who computed it, else from the request."""
    known = given.origins.get(name)
    sources = () if known is None else (known,)
    place = known.place if known is not None else Location("<input>", 0, 0)
    return Origin(place, How.INPUT, sources, name)


def paths_in(node: object) -> list[tuple[str, ...]]:
    """Every variable and attribute path that an expression reads, in the order of the text."""
    found: list[tuple[str, ...]] = []
    todo = [node]
    while todo:
        one = todo.pop()
        if isinstance(one, nodes.Name):
            found.append((one.name,))
        elif isinstance(one, nodes.AttributeRef):
            names: list[str] = []
            base: nodes.Expression = one
            while isinstance(base, nodes.AttributeRef):
                names.append(base.name)
                base = base.base
            if isinstance(base, nodes.Name):
                found.append((base.name, *reversed(names)))
            else:
                todo.append(base)
        elif isinstance(one, tuple):
            todo.extend(reversed(one))
    return found
