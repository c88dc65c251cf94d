"""Result types of function calls, compared with the type that is expected there (TOSCA 2.0).

Types are derived from function names and declared signatures only; nothing is evaluated. A call whose result
type is not known is accepted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from sabir.diagnostics.finding import Finding
from sabir.expressions.query.functions.tosca2 import PURE
from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.types import FlatType, TypeTable
from sabir.languages.tosca.model.values import WRONG_TYPE, holds_expression
from sabir.languages.tosca.syntax.nodes import FunctionDefinition, Schema, Signature, SourceValue
from sabir.languages.tosca.syntax.scopes import TypeKind

_TRUTH: Final = ("boolean",)
_NUMBERS: Final = ("integer", "float", "scalar")
_COMPUTED: Final = frozenset(
    {
        "length", "union", "intersection", "sum", "difference", "product", "quotient", "remainder", "round", "floor", "ceil",
    }
)  # fmt: skip
"""Pure functions whose result is not a boolean."""
_RESULTS: Final[Mapping[str, tuple[str, ...]]] = {
    **dict.fromkeys(
        (f"${name}" for name in PURE if name not in _COMPUTED), _TRUTH
    ),
    **dict.fromkeys(("$length", "$round", "$floor", "$ceil", "$node_index", "$relationship_index"), ("integer",)),
    **dict.fromkeys(("join", "token", "get_artifact"), ("string",)),
    **dict.fromkeys(("$union", "$intersection"), ("list",)),
    **dict.fromkeys(("$sum", "$difference", "$product", "$available_allocation"), _NUMBERS),
    "$concat": ("string", "list"),
    "$quotient": ("float", "scalar"),
    "$remainder": ("integer", "scalar"),
}  # fmt: skip
"""Result types by normalized function name; a function that is not listed may return any type."""
# A string may hold a version or a size; only evaluation can tell.
_WRITTEN_AS_TEXT: Final = frozenset({"version", "timestamp", "bytes", "scalar"})
_ANYTHING: Final = frozenset({"any", "json", "xml"})


def first_call(data: Any) -> tuple[str, Any] | None:
    """Return the function that a value calls and its argument, or None if it is not a call."""
    if not isinstance(data, Mapping) or len(data) != 1:
        return None
    ((name, argument),) = data.items()
    return (name, argument) if isinstance(name, str) else None


def check_result(
    model: TopologyModel,
    wanted: Schema | None,
    written: SourceValue,
    subject: str,
    owner: FlatType | None = None,
) -> Iterator[Finding]:
    """Check that a computed value can have the expected type.

    `owner` is the type of the entity that SELF refers to.
    """
    call = first_call(written.data)
    if wanted is None or call is None or not (wanted.origin.second and written.origin.second):
        return
    results = _call_result_types(model, *call, owner)
    if results and not any(_is_assignable(model.types, result, wanted) for result in results):
        names = " or ".join(dict.fromkeys(_type_name(result) for result in results))
        function = call[0] if call[0].startswith("$") else f"${call[0]}"
        message = f"{subject}: {function} gives {names}, and {wanted.name} is wanted"
        yield WRONG_TYPE.at(written.place, message)


def gives_truth(model: TopologyModel, name: str, argument: Any) -> bool:
    """Return whether a function can return a boolean, as conditions and validation clauses require."""
    results = _call_result_types(model, name, argument, None)
    return not results or any(
        _find_primitive(model.types, _type_name(result)) == "boolean" for result in results
    )


def explain_misuse(model: TopologyModel, function: FunctionDefinition, argument: Any) -> str | None:
    """Return why no signature of a function accepts the argument; None if one does."""
    arguments = argument if isinstance(argument, list) else [] if argument is None else [argument]
    if not function.signatures or any(_is_unconstrained(signature) for signature in function.signatures):
        return None
    count = len(arguments)
    suited = [signature for signature in function.signatures if signature.takes(count)]
    if not suited:
        wanted = sorted({_format_arity(signature) for signature in function.signatures})
        return f"takes {' or '.join(wanted)}, not {count}"
    reasons = [_find_argument_problem(model, signature, arguments) for signature in suited]
    return None if None in reasons else f"takes other arguments: {reasons[0]}"


def _is_unconstrained(signature: Signature) -> bool:
    """Return whether a signature accepts any arguments."""
    return signature.variadic and not signature.arguments and not signature.optional_arguments


def _format_arity(signature: Signature) -> str:
    least, most = len(signature.arguments), len(signature.arguments) + len(signature.optional_arguments)
    if signature.variadic:
        return f"at least {least} arguments"
    return f"{least} arguments" if least == most else f"{least} to {most} arguments"


def _find_argument_problem(model: TopologyModel, signature: Signature, arguments: list[Any]) -> str | None:
    for position, argument in enumerate(arguments):
        wanted = signature.argument(position)
        if wanted is None:
            continue
        call = first_call(argument) if holds_expression(argument) else None
        if call is not None:
            results = _call_result_types(model, *call, None)
            if results and not any(_is_assignable(model.types, result, wanted) for result in results):
                return f"argument {position + 1} is no {wanted.name}"
        elif argument != "$value":
            misfit = next(model.values.check(wanted)(argument), None)
            if misfit is not None:
                return f"argument {position + 1}: {misfit.message}"
    return None


def _call_result_types(
    model: TopologyModel, name: str, argument: Any, owner: FlatType | None
) -> tuple[str | Schema, ...]:
    """Return the types that a call can have; empty if it can have any type."""
    function = model.topology.functions.get(name.removeprefix("$"))
    if function is not None:
        return _function_result_types(model, function, argument)
    if name == "get_input":
        words = argument if isinstance(argument, list) else [argument]
        declared = (
            model.topology.inputs.get(words[0]) if len(words) == 1 and isinstance(words[0], str) else None
        )
        return () if declared is None or declared.schema is None else (declared.schema,)
    if name in ("get_property", "get_attribute"):
        return _find_read_schema(model, argument, owner)
    return _RESULTS.get(name, ())


def _function_result_types(
    model: TopologyModel, function: FunctionDefinition, argument: Any
) -> tuple[str | Schema, ...]:
    arguments = argument if isinstance(argument, list) else [argument]
    results: list[Schema] = []
    for signature in function.signatures:
        if _is_unconstrained(signature) or (
            signature.takes(len(arguments)) and _find_argument_problem(model, signature, arguments) is None
        ):
            if signature.result is None:
                return ()
            results.append(signature.result)
    return tuple(results)


def _find_read_schema(model: TopologyModel, argument: Any, owner: FlatType | None) -> tuple[Schema, ...]:
    """Return the schema of a property or attribute that is read directly from a node."""
    if not isinstance(argument, list) or len(argument) != 2 or not isinstance(argument[1], str):
        return ()
    entity, key = argument
    flat = owner if entity == "SELF" else model.flat.get(entity) if isinstance(entity, str) else None
    definition = None if flat is None else flat.attributes.get(key) or flat.properties.get(key)
    return () if definition is None or definition.schema is None else (definition.schema,)


def _type_name(result: str | Schema) -> str:
    return result if isinstance(result, str) else result.name


def _find_primitive(types: TypeTable, name: str) -> str:
    """Return the primitive type that a type derives from; a type with fields is a map."""
    flat = types.find(TypeKind.DATA, name)
    if flat is None:
        return name
    return flat.primitive or "map"


def _is_assignable(types: TypeTable, result: str | Schema, wanted: Schema) -> bool:
    name = _type_name(result)
    base, goal = _find_primitive(types, name), _find_primitive(types, wanted.name)
    if goal in _ANYTHING or base in _ANYTHING or types.may_be(name, wanted.name):
        return isinstance(result, str) or _entries_fit(types, result, wanted)
    if base == "string" and (goal in _WRITTEN_AS_TEXT or goal.startswith("scalar-unit")):
        return True
    if base == "map" and "map" in (name, wanted.name):
        return True  # one of them does not declare its entries
    return (base, goal) == ("integer", "float")


def _entries_fit(types: TypeTable, result: Schema, wanted: Schema) -> bool:
    pairs: Iterable[tuple[Schema | None, Schema | None]] = (
        (result.entry_schema, wanted.entry_schema),
        (result.key_schema, wanted.key_schema),
    )
    return all(
        inner is None or outer is None or _is_assignable(types, inner, outer) for inner, outer in pairs
    )
