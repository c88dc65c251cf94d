"""Contracts as JSON Schema, for editors and for authors of object models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql import Dialect, parse
from sabir.expressions.yaql.nodes import Binary, Call, Literal, Node, Variable, Word
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.expressions import read_dotted_name, type_name
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.arguments import MethodArgument
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.properties import PropertyDeclaration
    from sabir.languages.muranopl.syntax.nodes import Value


_DIALECT: Final = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: Final = {"string": "string", "int": "integer", "bool": "boolean"}
_GIVEN: Final = frozenset({"In", "InOut", "Const"})


def class_schema(cls: MuranoClass) -> dict[str, Any]:
    """Return the schema of an object model whose root is an object of this class."""
    classes: dict[str, dict[str, Any]] = {}
    _add_class_schema(cls, classes)
    return {"$schema": _DIALECT, "$ref": f"#/$defs/{cls.name}", "$defs": classes}


def method_schema(method: Method) -> dict[str, Any]:
    """Return the schema of the arguments of a method, by name."""
    classes: dict[str, dict[str, Any]] = {}
    properties = {
        argument.name: _argument_schema(argument, method.cls, classes) for argument in method.arguments
    }
    schema = {
        "$schema": _DIALECT,
        "title": f"{method.cls.name}.{method.name}",
        "type": "object",
        "properties": properties,
        "required": [argument.name for argument in method.arguments if _must_be_said(argument)],
        "additionalProperties": any(argument.node.usage == "KwArgs" for argument in method.arguments),
    }
    return {**schema, "$defs": classes} if classes else schema


def _argument_schema(
    argument: MethodArgument, cls: MuranoClass, classes: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    schema = _contract_schema(argument.node.contract, cls, classes)
    default = argument.node.default
    return {**schema, "default": default.value} if isinstance(default, Constant) else schema


def _must_be_said(argument: MethodArgument) -> bool:
    calls = contract_calls(argument.node.contract)
    return (
        argument.node.default is None
        and argument.node.usage == "Standard"
        and any(call.name == "notNull" for call in calls)
    )


def _add_class_schema(cls: MuranoClass, classes: dict[str, dict[str, Any]]) -> None:
    if cls.name in classes:
        return
    schema: dict[str, Any] = {}
    classes[cls.name] = schema
    properties: dict[str, Any] = {"?": _header_schema(cls)}
    required = ["?"]
    for name, declaration in sorted(cls.members.items()):
        if declaration.usage in _GIVEN:
            properties[name] = _property_schema(declaration, classes)
            if is_required(declaration):
                required.append(name)
    schema.update(type="object", title=cls.name, properties=properties, required=required)


def _header_schema(cls: MuranoClass) -> dict[str, Any]:
    type_ = {"type": "string", "description": f"{cls.name}, or a class that extends it"}
    properties = {"type": type_, "id": {"type": "string"}, "name": {"type": "string"}}
    return {"type": "object", "properties": properties, "required": ["type"]}


def is_required(declaration: PropertyDeclaration) -> bool:
    """Tell whether a model without the property is rejected."""
    contract = declaration.node.contract
    return (
        declaration.node.default is None
        and not declaration.configured
        and declaration.contract.default_class is None
        and any(call.name == "notNull" for call in contract_calls(contract))
    )


def _property_schema(declaration: PropertyDeclaration, classes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    schema = _contract_schema(declaration.node.contract, declaration.cls, classes)
    default = declaration.node.default
    if isinstance(default, Constant) and default.value is not None:
        schema["default"] = default.value
    return schema


def _contract_schema(contract: Value, cls: MuranoClass, classes: dict[str, dict[str, Any]]) -> dict[str, Any]:
    match contract:
        case ListValue(items=items):
            bounds = [item.value for item in items[1:] if isinstance(item, Constant)]
            names = ("minItems", "maxItems")
            inner = _contract_schema(items[0], cls, classes) if items else {}
            return {"type": "array", "items": inner, **dict(zip(names, bounds, strict=False))}
        case MapValue(entries=entries):
            named = [(key.value, value) for key, value in entries if isinstance(key, Constant)]
            open_ = next((value for key, value in entries if isinstance(key, Expr)), None)
            schema: dict[str, Any] = {"type": "object"}
            if named:
                schema["properties"] = {
                    str(key): _contract_schema(value, cls, classes) for key, value in named
                }
            schema["additionalProperties"] = (
                _contract_schema(open_, cls, classes) if open_ is not None else False
            )
            return schema
        case Constant(value=value):
            return {"const": value}
        case _:
            return _chain_schema(contract_calls(contract), cls, classes)


def _chain_schema(
    calls: tuple[Call, ...], cls: MuranoClass, classes: dict[str, dict[str, Any]]
) -> dict[str, Any]:
    schema: dict[str, Any] = {}
    for call in calls:
        if call.name in _PLAIN:
            schema = {"type": _PLAIN[call.name]}
        elif call.name in ("class", "template"):
            wanted = _find_contract_class(call, cls)
            if wanted is not None:
                _add_class_schema(wanted, classes)
                schema = {"anyOf": [{"$ref": f"#/$defs/{wanted.name}"}, {"type": "string"}]}
    if any(call.name == "notNull" for call in calls) or not schema:
        return schema
    return {"anyOf": [schema, {"type": "null"}]}


def _find_contract_class(call: Call, cls: MuranoClass) -> MuranoClass | None:
    name = class_argument_name(call)
    try:
        return None if name is None else cls.runtime.class_named(name, cls)
    except MuranoError:
        return None


def class_argument_name(call: Call) -> str | None:
    """Return the class that `class(X)` names; None if the argument is not a class name."""
    first = call.arguments[0] if call.arguments else None
    if first is None:
        return None
    if isinstance(first, Literal | Word):
        return first.value if isinstance(first.value, str) else None
    return type_name(first) or read_dotted_name(first)


def contract_calls(contract: Value) -> tuple[Call, ...]:
    """Return the calls of `$.a().b()`, in order; an empty list for any other expression."""
    if not isinstance(contract, Expr):
        return ()
    node: Node = parse(contract.text, Dialect.MURANO).tree
    calls: list[Call] = []
    while isinstance(node, Binary) and node.operator == "." and isinstance(node.right, Call):
        calls.append(node.right)
        node = node.left
    return tuple(reversed(calls)) if isinstance(node, Variable) else ()
