"""The expressions of `sabir.yaml`, asked of the graph of the parts."""

from __future__ import annotations

from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean
from sabir.environment.examples import environment_rule
from sabir.environment.externals import Externals
from sabir.environment.given import Resolved
from sabir.environment.nodes import Environment
from sabir.environment.references import Reference
from sabir.expressions.query import QueryError, Resource, Session, evaluate, read_from_graph, resources_of
from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.provenance import Computing
from sabir.resources.secrets import COMPOSED_HINT, composed_message, find_composed, is_reference
from sabir.session import Session as WorkSession

__all__ = ["Resolver"]

NO_VALUE: Final = environment_rule(
    "E006",
    "a reference that gives no value",
    "The expression matches nothing, or matches an instance where a value is needed. Query the environment to see "
    "what is there: sabir query . '::db'.",
    run=True,
)
COMPOSED_SECRET: Final = environment_rule(
    "E011",
    "secret inside a string",
    "A secret is read only when a step needs it, so no string can be computed from it. Use the secret as a whole value, such as an input "
    "or a field.",
    run=True,
)


class Resolver:
    """Resolves references against one state of the graph."""

    def __init__(
        self, environment: Environment, graph: Graph, work: WorkSession, externals: Externals
    ) -> None:
        self._environment = environment
        self._graph = graph
        self._session = Session(work=work, externals=externals)
        self._root = resources_of(graph, self._session)

    def resolve(self, reference: Reference) -> Resolved | Finding:
        place = self._environment.place(reference.span)
        if is_reference(reference.expression):
            return Resolved(reference.expression, Origin(place, How.LITERAL, (), reference.key))
        computing = self._session.computing = Computing()
        try:
            result = evaluate(reference.expression, self._root)
        except QueryError as error:
            return error.placed(place).finding
        finally:
            self._session.computing = None
        if not result.values:
            return self._nothing(reference)
        if _holds_instance(result.value):
            message = f"the expression of {_name(reference)} gives an instance, not a value"
            hint = "add the attribute that is meant: …::NAME"
            return NO_VALUE.at(place, message, hint=hint)
        read = read_from_graph(computing.reads)
        values = (instance.attributes[key] for instance, key in read if key in instance.attributes)
        secret = find_composed(reference.expression, result.value, values)
        if secret is not None:
            return COMPOSED_SECRET.at(place, composed_message(secret), hint=COMPOSED_HINT)
        sources = tuple(AttributeRead(instance.id, key) for instance, key in read)
        return Resolved(result.value, Origin(place, How.REFERENCE, sources, reference.key))

    def _nothing(self, reference: Reference) -> Finding:
        """Nothing matched: say what is there instead, as far as the expression tells what it was after."""
        text = reference.expression.get("eval") if isinstance(reference.expression, dict) else None
        hint = self._near(text) if isinstance(text, str) else None
        message = f"the expression of {_name(reference)} gives nothing"
        return NO_VALUE.at(self._environment.place(reference.span), message, hint=hint)

    def _near(self, path: str) -> str | None:
        names = [segment for segment in path.split("::") if segment and segment[0] not in ".*?[$"]
        if not names:
            return None
        candidates = self._graph.named(names[0])
        if not candidates:
            return did_you_mean(names[0], {instance.name for instance in self._graph})
        names_below = {inner.name for instance in candidates for inner in self._graph.owned_by(instance.id)}
        names_below |= {key for instance in candidates for key in (*instance.attributes, *instance.relations)}
        for name in names[1:]:
            inner = self._graph.named(name)
            if name not in names_below and not inner:
                return (
                    did_you_mean(name, names_below)
                    or f"{names[0]!r} has {', '.join(sorted(names_below)[:8])}"
                )
            names_below |= {key for instance in inner for key in (*instance.attributes, *instance.relations)}
        return None


def _holds_instance(value: Any) -> bool:
    if isinstance(value, Resource):
        return True
    if isinstance(value, dict):
        return any(_holds_instance(item) for item in value.values())
    if isinstance(value, (list, tuple)):
        return any(_holds_instance(item) for item in value)
    return False


def _name(reference: Reference) -> str:
    return f"{reference.part}.{reference.key}" if reference.part is not None else reference.key
