"""get_input, get_property, get_attribute, get_operation_output, get_artifact, get_nodes_of_type: the functions of TOSCA."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from sabir.diagnostics.suggestions import did_you_mean, join_names
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import NOT_FOUND, expression_rule
from sabir.expressions.query.functions.call import FunctionCall, Matches
from sabir.expressions.query.functions.entities import (
    PathPosition,
    find_entities,
    find_entity,
    follow_path,
    is_step,
)
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.live import CIRCLE
from sabir.expressions.query.resource import QueryResource
from sabir.expressions.query.values import (
    MISSING,
    LazyList,
    LazyMap,
    mark_sensitive,
    plain_value,
    reveal_deep,
)
from sabir.graph.values import Sensitive, Unknown

MISSING_INPUT: Final = expression_rule(
    "EXPR:E007",
    title="an input that is not there",
    why="get_input names an input that the service template does not declare.",
)

Read = Callable[[QueryResource, str], Any]


def get_input(call: FunctionCall, context: QueryContext) -> Any:
    argument = reveal_deep(call.value(context))
    path = argument if isinstance(argument, list) else [argument]
    if not path or not isinstance(path[0], str):
        call.fail(context, "get_input needs the name of an input")
    name = path[0]
    value = context.session.input(name)
    if value is not MISSING:
        context.session.record(context.resource.root, f"inputs::{name}")
    if isinstance(value, LazyMap | LazyList):
        value = _compute_input(call, context, name, value)
    if value is MISSING:
        if len(path) == 2:
            return path[1]
        declared = context.session.input_names()
        hint = did_you_mean(name, declared) or (
            "declare it under 'inputs:'" if not declared else "the inputs are " + join_names(declared)
        )
        call.fail(context, f"there is no input {name!r}", MISSING_INPUT, hint)
    # TOSCA 1.3: further items reach into the value; a lone second item of text is also a default (peer).
    result = _select_part(value, path[1:])
    return (path[1] if len(path) == 2 and value is None else None) if result is MISSING else result


def _compute_input(call: FunctionCall, context: QueryContext, name: str, value: Any) -> Any:
    """All of it at once: an input whose value reads that input would have no end."""
    waiting, cell = context.session.waiting, (context.resource.root, f"inputs::{name}")
    if cell in waiting:
        call.fail(context, f"input {name!r} needs its own value", CIRCLE)
    waiting.append(cell)
    try:
        return plain_value(value)
    finally:
        waiting.pop()


def get_property(call: FunctionCall, context: QueryContext) -> Any:
    path = _read_path(call, context)
    reached = find_entities(context, path)
    if reached is not None:
        return _of_instances(call, context, path, _collect_values(reached, _read_property))
    entity = find_entity(
        context, path[0], lambda candidate: _find_value(candidate, path[1:], _read_property) is not MISSING
    )
    if entity is None:
        call.fail(
            context,
            f"get_property: there is no {path[0]!r} here",
            NOT_FOUND,
            _suggest_entity(context, path[0]),
        )
    result = _find_value(entity, path[1:], _read_property)
    if result is MISSING:
        if _is_declared(entity, path[1:]):
            return None
        _not_found(call, context, entity, path)
    return _as_matches(result)


def get_attribute(call: FunctionCall, context: QueryContext) -> Any:
    path = _read_path(call, context)
    reached = find_entities(context, path)
    if reached is not None:
        result = _collect_values(reached, _read_attribute)
        return None if result is MISSING else _as_matches(result)
    entity = find_entity(
        context, path[0], lambda candidate: _find_value(candidate, path[1:], _read_attribute) is not MISSING
    )
    if entity is None:
        return None
    result = _find_value(entity, path[1:], _read_attribute)
    return None if result is MISSING else _as_matches(result)


class _All(list[Any]):
    """The values of all entities that a path led to; of several such lists one is made."""


def _of_instances(call: FunctionCall, context: QueryContext, path: list[Any], result: Any) -> Any:
    if result is MISSING:
        wanted = " / ".join(str(part) for part in path[1:])
        call.fail(context, f"no instance of {path[0]!r} has a property {wanted!r}", NOT_FOUND)
    return _as_matches(result)


def _as_matches(result: Any) -> Any:
    """In list mode the items of a list are the matches; one or none would be lost in single mode and stay a list."""
    if isinstance(result, list) and not isinstance(result, Matches) and len(result) < 2:
        return Matches([result])
    return result


def _is_declared(entity: QueryResource, path: list[Any]) -> bool:
    """Whether the type has such a property, which has no value: that is null and not an error."""
    if len(path) == 1:
        return entity.has_property(str(path[0]))
    return len(path) == 2 and any(
        candidate.has_property(str(path[1])) for candidate in _find_linked(entity, str(path[0]))
    )


def get_artifact(call: FunctionCall, context: QueryContext) -> Any:
    path = _read_path(call, context)
    reached = find_entities(context, path)
    if reached is None:
        entity = find_entity(context, path[0], lambda candidate: path[1] in candidate.artifacts)
        reached = None if entity is None else follow_path(entity, path[1:])
    if reached is None or not reached.entities or not reached.rest:
        return None
    artifact = reached.entities[0].artifacts.get(str(reached.rest[0]))
    return None if artifact is None else artifact.location


def get_operation_output(call: FunctionCall, context: QueryContext) -> Any:
    """What an operation gave out when it was run; unknown until then."""
    path = _read_path(call, context)
    if len(path) != 4:
        call.fail(context, "get_operation_output needs an entity, an interface, an operation and an output")
    several = find_entities(context, path)
    entity = several.entities[0] if several is not None else find_entity(context, path[0], lambda _: True)
    if entity is None:
        call.fail(
            context,
            f"get_operation_output: there is no {path[0]!r} here",
            NOT_FOUND,
            _suggest_entity(context, path[0]),
        )
    interface, operation, output = map(str, path[1:])
    result = entity.operation_output(interface, operation, output)
    return Unknown(why="it is known once the operation has run") if result is MISSING else result


def get_nodes_of_type(call: FunctionCall, context: QueryContext) -> Any:
    name = call.text(context, "the name of a type")
    root = context.resource.root
    return [candidate for candidate in root.everything() if candidate is not root and name in candidate.types]


def _read_path(call: FunctionCall, context: QueryContext) -> list[Any]:
    items = reveal_deep(call.value(context))
    if not isinstance(items, list) or len(items) < 2:
        call.fail(context, f"{call.function.name} needs a list: an entity, then what to read from it")
    if not isinstance(items[0], str):
        call.fail(context, f"the entity of {call.function.name} must be a name, not {items[0]!r}")
    return items


def _read_property(resource: QueryResource, key: str) -> Any:
    return _record_read(resource, key, resource.get_planned(key)) if resource.has_property(key) else MISSING


def _read_attribute(resource: QueryResource, key: str) -> Any:
    return _record_read(resource, key, resource.get(key))


def _record_read(resource: QueryResource, key: str, value: Any) -> Any:
    if value is not MISSING:
        resource.session.record(resource, key)
    return value


def _find_value(entity: QueryResource, path: list[Any], read: Read) -> Any:
    """`[req_or_cap_name?, property_name, index_or_key*]`; S-97: the target's capability first, then the target."""
    name = path[0]
    if not isinstance(name, str):
        return MISSING
    if is_step(name) and len(path) > 1:
        return _find_along_path(entity, path, read)
    result = read(entity, name)
    if result is not MISSING:
        inner = _select_part(result, path[1:])
        if inner is not MISSING:
            return inner
    if len(path) > 1 and isinstance(path[1], str):
        for through in _find_linked(entity, name):
            inner = _select_part(read(through, path[1]), path[2:])
            if inner is not MISSING:
                led = isinstance(inner, list) and through.parent is not entity
                return Matches([inner]) if led else inner
    return MISSING


def _find_along_path(entity: QueryResource, path: list[Any], read: Read) -> Any:
    return _collect_values(follow_path(entity, path), read)


def _collect_values(reached: PathPosition, read: Read) -> Any:
    """What is read from the end of a path: one value, or a list when all of something were asked for."""
    results = [_find_value(entity, reached.rest, read) for entity in reached.entities] if reached.rest else []
    values = [result for result in results if result is not MISSING]
    if reached.all:
        return _All(item for value in values for item in (value if isinstance(value, _All) else [value]))
    return values[0] if values else MISSING


def _find_linked(entity: QueryResource, name: str) -> list[QueryResource]:
    result = [candidate for candidate in entity.capabilities if candidate.name == name]
    for requirement in entity.requirements:
        if requirement.name == name:
            result += [
                candidate
                for candidate in (requirement.target_capability, requirement.target)
                if candidate is not None
            ]
            if requirement.target is not None:
                result += [
                    candidate for candidate in requirement.target.capabilities if candidate.name == name
                ]
            result.append(requirement)
    return result


def _select_part(value: Any, path: list[Any]) -> Any:
    """Keys and indexes (also written as text) into a value."""
    for key in path:
        marked = isinstance(value, Sensitive)
        value = value.value if isinstance(value, Sensitive) else value
        if isinstance(value, Unknown):
            return value
        if isinstance(key, list | Mapping):
            return MISSING
        if isinstance(value, Mapping) and key in value:
            value = value[key]
        elif (
            isinstance(value, list | tuple)
            and (number := _index_number(key)) is not None
            and -len(value) <= number < len(value)
        ):
            value = value[number]
        else:
            return MISSING
        if marked:
            value = mark_sensitive(value)
    return value


def _index_number(key: Any) -> int | None:
    if isinstance(key, int) and not isinstance(key, bool):
        return key
    return int(key) if isinstance(key, str) and key.lstrip("-").isdigit() else None


def _suggest_entity(context: QueryContext, name: str) -> str | None:
    return did_you_mean(name, context.resource.all())


def _not_found(call: FunctionCall, context: QueryContext, entity: QueryResource, path: list[Any]) -> None:
    wanted = " / ".join(str(part) for part in path[1:])
    if _find_value(entity, path[1:], _read_attribute) is not MISSING:
        hint: str | None = "it is an attribute: read it with get_attribute"
    else:
        parts = [candidate.name for candidate in (*entity.capabilities, *entity.requirements)]
        hint = did_you_mean(str(path[1]), [*entity.keys(), *parts])
    call.fail(context, f"{entity.name!r} has no property {wanted!r}", NOT_FOUND, hint)


FUNCTIONS: Final = table(
    Function("get_input", get_input, standalone=True),
    Function("get_property", get_property, standalone=True),
    Function("get_attribute", get_attribute, standalone=True),
    Function("get_operation_output", get_operation_output, standalone=True),
    Function("get_artifact", get_artifact, standalone=True),
    Function("get_nodes_of_type", get_nodes_of_type, standalone=True),
)
