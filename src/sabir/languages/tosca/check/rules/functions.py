"""Checks of function calls in values: known inputs and entities, argument counts.

Also reports inputs that are never used. What a call returns is checked in `function_results`, what it reads
in `reads`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.suggestions import did_you_mean, suggest
from sabir.expressions.query.forms import UNKNOWN_FUNCTION
from sabir.expressions.query.functions.registry import MODULES
from sabir.expressions.query.functions.tosca2 import PURE
from sabir.languages.tosca.check.rules.function_results import explain_misuse, first_call, gives_truth
from sabir.languages.tosca.check.rules.values import (
    find_path_problem,
    list_clauses,
    list_validation_arguments,
    list_values,
    operation_inputs,
)
from sabir.languages.tosca.model.model import UNKNOWN_INPUT, TopologyModel
from sabir.languages.tosca.syntax.examples import tosca_rule
from sabir.languages.tosca.syntax.nodes import (
    SourceValue,
)
from sabir.source.yaml.nodes import YamlNode, YamlScalar, YamlSequence, plain_data
from sabir.text import Place

UNKNOWN_ENTITY: Final = tosca_rule(
    code="TOSCA:E022",
    title="a function names something that is not there",
    why="get_property, get_attribute and get_artifact read from a node or relationship template, or from SELF, HOST, SOURCE or "
    "TARGET.",
)

UNUSED_INPUT: Final = tosca_rule(
    code="TOSCA:W023",
    title="an input that nothing uses",
    why="Whoever gives it a value will wonder why nothing changes. Use it or remove it.",
)


WRONG_ARGUMENTS: Final = tosca_rule(
    code="TOSCA:E049",
    title="a function with too few or too many arguments",
    why="It cannot be computed. get_property and its like need an entity and what to read from it, comparisons two values.",
)

_ARITIES: Final[Mapping[str, tuple[int, int | None]]] = {
    "get_property": (2, None),
    "get_attribute": (2, None),
    "get_artifact": (2, None),
    "$available_allocation": (2, None),
    "$join": (1, 2),
}
# Known to an orchestrator only.
_ORCHESTRATED: Final = frozenset({"get_operation_output"})
_READERS: Final = frozenset({"get_property", "get_attribute", "get_artifact"})
_GETTERS: Final = frozenset(word for names in MODULES.values() for word in names if word.startswith("get_")) | {
    "get_operation_output", "get_secret", "get_repo", "get_attributes",
}  # fmt: skip
_TEXTS: Final = frozenset({"concat", "join", "token"})
_RESERVED: Final = frozenset({"SELF", "SOURCE", "TARGET", "HOST", "ROOT", "ORCHESTRATOR"})


def check_functions(model: TopologyModel) -> Iterator[Finding]:
    """Check all function calls of a topology, and report inputs that are never used.

    Unused inputs are not reported if something may read them by a computed name: an expression, a
    substitution mapping, or a part of the document that could not be read.
    """
    used: set[str] = set(_inputs_of_types(model))
    loose = any(template.loses for template in model.nodes.values())
    nodes, inputs = frozenset(model.nodes), frozenset(model.topology.inputs)
    for written in list_values(model):
        for name, argument in _list_calls(written.node):
            place = Place(written.origin.source, argument.span)
            if name == "get_input":
                input_name = _first_argument_name(argument)
                if input_name is not None:
                    used.add(input_name)
                    # A list may hold a default after the name.
                    is_missing = model.topology.complete and input_name not in model.topology.inputs
                    has_more = isinstance(argument, YamlSequence) and len(argument) > 1
                    if is_missing and (not has_more or written.origin.second):
                        advice = did_you_mean(input_name, inputs) or "declare it under 'inputs:'"
                        used.add(suggest(input_name, inputs) or "")
                        yield UNKNOWN_INPUT.at(place, f"there is no input {input_name!r}", hint=advice)
                    elif written.origin.second:
                        yield from _check_input_path(model, input_name, argument, place)
            elif name in _READERS:
                entity = _first_argument_name(argument)
                if entity is not None and model.topology.complete and not _is_entity(model, entity):
                    hint = did_you_mean(entity, nodes, _RESERVED)
                    message = f"{name} names {entity!r}, which is no node or relationship template"
                    yield UNKNOWN_ENTITY.at(place, message, hint=hint)
                yield from _check_argument_count(name, argument, place)
            elif name in ("eval", "ref", "template"):
                loose = True
            elif name.startswith("$") and name != "$$":
                used.add(_first_argument_name(argument) or "")  # a misspelled $get_input
                yield from _check_function_name(model, name, place)
                yield from _check_signature(model, name, argument, place)
            elif name == "join" and written.origin.second:
                yield from _check_join(argument, place)
            elif name.startswith("get_") and name not in _GETTERS:
                used.add(_first_argument_name(argument) or "")
        loose = loose or _mentions_inputs(written.node)
    yield from _check_conditions(model)
    yield from _report_misspelled_calls(model)
    for written in list_validation_arguments(model):
        for name, argument in _list_calls(written.node):
            if name.startswith("$") and name != "$$":
                place = Place(written.origin.source, argument.span)
                yield from _check_function_name(model, name, place)
    if loose or model.topology.substitution is not None or not (model.topology.complete or model.nodes):
        return
    for name, definition in model.topology.inputs.items():
        if name not in used:
            yield UNUSED_INPUT.at(definition.place, f"the input {name!r} is not used")


def _report_misspelled_calls(model: TopologyModel) -> Iterator[Finding]:
    """Report misspelled function names in operation inputs and outputs.

    No type tells there whether a mapping is data, so only names close to a known function are reported.
    """
    outputs = (output.value for output in model.topology.outputs.values())
    for written in (*operation_inputs(model), *filter(None, outputs)):
        for name, argument in _list_calls(written.node):
            hint = _suggest_function(name, argument)
            if hint is not None:
                place = Place(written.origin.source, argument.span)
                yield UNKNOWN_FUNCTION.at(place, f"there is no function {name!r}", hint=hint)


def _suggest_function(name: str, argument: YamlNode) -> str | None:
    """Return the function that a misspelled name probably means.

    A name that differs only in its ending, such as `tokens`, may well be data.
    """
    if name.startswith("get_"):
        return None if name in _GETTERS else did_you_mean(name, _GETTERS)
    if not isinstance(argument, YamlSequence) or name.startswith(("$", *_TEXTS)):
        return None
    return did_you_mean(name, _TEXTS)


def _check_conditions(model: TopologyModel) -> Iterator[Finding]:
    """Check that 2.0 conditions return a boolean."""
    for written in (*list_clauses(model), *_list_node_filters(model)):
        conditions = written.data if isinstance(written.data, list) else [written.data]
        for call in filter(None, map(first_call, conditions)):
            if written.origin.second and not gives_truth(model, *call):
                message = f"{call[0]} says neither true nor false, as a condition must"
                yield WRONG_ARGUMENTS.at(written.place, message)


def _list_node_filters(model: TopologyModel) -> Iterator[SourceValue]:
    for node in model.nodes.values():
        for requirement in node.requirements:
            if requirement.node_filter is not None:
                yield requirement.node_filter
        if node.node_filter is not None:
            yield node.node_filter


def _check_join(argument: YamlNode, place: Place) -> Iterator[Finding]:
    yield from _check_argument_count("$join", argument, place)
    first = argument.items[0] if isinstance(argument, YamlSequence) and len(argument) else None
    if isinstance(first, YamlScalar):
        yield WRONG_ARGUMENTS.at(place, f"$join needs a list of texts first, not {first.text!r}")


def _check_signature(model: TopologyModel, name: str, argument: YamlNode, place: Place) -> Iterator[Finding]:
    """Check a call of a user-defined 2.0 function against its signatures.

    This includes functions that redefine a built-in one.
    """
    function = model.topology.functions.get(name[1:])
    if function is None:
        yield from _check_argument_count(name, argument, place)
        return
    reason = explain_misuse(model, function, plain_data(argument))
    if reason is not None:
        yield WRONG_ARGUMENTS.at(place, f"{name} {reason}")


def _check_argument_count(name: str, argument: YamlNode, place: Place) -> Iterator[Finding]:
    """Check the number of arguments; their values are known only to an evaluation."""
    least, most = _ARITIES.get(name) or _find_arity(name.removeprefix("$"))
    if least == 0:
        return
    count = len(argument) if isinstance(argument, YamlSequence) else 1
    if isinstance(argument, YamlScalar) and argument.value is None:
        count = 0
    if count < least or (most is not None and count > most):
        wanted = (
            f"{least}" if most == least else f"at least {least}" if most is None else f"{least} to {most}"
        )
        yield WRONG_ARGUMENTS.at(place, f"{name} needs {wanted} arguments, not {count}")


def _find_arity(name: str) -> tuple[int, int | None]:
    pure = PURE.get(name)
    return (0, None) if pure is None else (pure.least, pure.most)


def _check_function_name(model: TopologyModel, name: str, place: Place) -> Iterator[Finding]:
    """Check that a 2.0 function is built in or defined under `functions`."""
    word = name[1:]
    if name in MODULES["tosca2"] or word in model.topology.functions or not model.topology.complete:
        return
    if word in _ORCHESTRATED:
        return
    names = [*MODULES["tosca2"], *(f"${own}" for own in (*MODULES["topology"], "join", "token"))]
    names += [f"${custom}" for custom in model.topology.functions]
    hint = did_you_mean(name, names) or f"define it under 'functions:', or write $${word} for the text"
    yield UNKNOWN_FUNCTION.at(place, f"there is no function {name!r}", hint=hint)


def _check_input_path(model: TopologyModel, name: str, argument: YamlNode, place: Place) -> Iterator[Finding]:
    """Check the 2.0 path into the value of an input."""
    declared, data = model.topology.inputs.get(name), plain_data(argument)
    if declared is None or not isinstance(data, list):
        return
    problem = find_path_problem(model.types, declared.schema, data[1:])
    if problem is not None:
        yield UNKNOWN_INPUT.at(place, f"input {name!r}: {problem[0]}", hint=problem[1])


def _is_entity(model: TopologyModel, name: str) -> bool:
    topology = model.topology
    return (
        name in _RESERVED
        or name in model.nodes
        or name in topology.relationship_templates
        or name in topology.groups
        or any(policy.name == name for policy in topology.policies)
    )


def _inputs_of_types(model: TopologyModel) -> Iterator[str]:
    """Return the inputs that defaults of types use."""
    for table in model.topology.types.values():
        for type_ in table.values():
            for definition in (*type_.properties.values(), *type_.attributes.values()):
                for written in (definition.default, definition.value):
                    for name, argument in _list_calls(written.node) if written is not None else ():
                        input_name = _first_argument_name(argument) if name == "get_input" else None
                        if input_name is not None:
                            yield input_name


def _list_calls(node: YamlNode) -> Iterator[tuple[str, YamlNode]]:
    if isinstance(node, YamlScalar):
        return
    if isinstance(node, YamlSequence):
        for item in node.items:
            yield from _list_calls(item)
        return
    for entry in node.entries:
        key = entry.key.value if isinstance(entry.key, YamlScalar) else None
        if key == "q":
            continue
        if isinstance(key, str) and (len(node) == 1 or key in ("eval", "ref")):
            yield key, entry.value
        yield from _list_calls(entry.value)


def _first_argument_name(argument: YamlNode) -> str | None:
    """Return the first argument of a call if it is a plain string."""
    node = argument.items[0] if isinstance(argument, YamlSequence) and len(argument) else argument
    if isinstance(node, YamlScalar) and isinstance(node.value, str) and "{{" not in node.value:
        return node.value
    return None


def _mentions_inputs(node: YamlNode) -> bool:
    if isinstance(node, YamlScalar):
        return isinstance(node.value, str) and "{{" in node.value
    if isinstance(node, YamlSequence):
        return any(_mentions_inputs(item) for item in node.items)
    return any(_mentions_inputs(entry.value) for entry in node.entries)
