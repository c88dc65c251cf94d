"""Contracts of lists and dictionaries, constants in them, and contracts of objects.

The contracts of objects are `class()`, `template()`, `owned()` and `notOwned()`.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.nodes import Binary, Call, Group, ListLiteral, Literal, Node, Rule, Unary, Word
from sabir.expressions.yaql.values import is_equal
from sabir.languages.muranopl.model.contract_types import (
    ANYTHING,
    CONTRACT_FORM,
    LIST_KINDS,
    MAP_KINDS,
    OBJECT_KINDS,
    Build,
    Check,
    Contract,
)
from sabir.languages.muranopl.model.definitions import with_type
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError, format_value
from sabir.languages.muranopl.model.objects import MuranoObject, unwrap_object
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue, Value
from sabir.languages.muranopl.syntax.values import expression_place
from sabir.text import Place, Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass


Compile = Callable[[Value, "MuranoClass"], Contract]


def constant_contract(value: Constant) -> Contract:
    """Return the contract of a literal: the value must equal it (`A: StringMap`)."""
    wanted = value.value

    def check(value: Any, _this: Any, _loader: Any) -> Any:
        if is_equal(value, wanted):
            return value
        raise ContractViolationError(f"it must be {format_value(wanted)}, not {format_value(value)}", value)

    return Contract(check)


# -- lists -----------------------------------------------------------------------------------------------------------


def as_list(value: Any) -> list[Any]:
    """Return the value as a list: null is the empty list, a single value a list of one (S-07)."""
    if type(value) is list:
        return value
    if value is None:
        return []
    if isinstance(value, list | tuple | set | frozenset):
        return list(value)
    return [value]


def list_contract(node: ListValue, cls: MuranoClass, compile_: Compile) -> Contract:
    """Return the contract of a list: one type for all items, or one type for each."""
    parts, low, high = _length_bounds(node, cls)
    items = [compile_(part, cls) for part in parts]
    if not items:
        return Contract(_length_check(lambda value, _this, _loader: as_list(value), low, high))
    check = _all_alike(items[0].check) if len(items) == 1 else _each_its_own([item.check for item in items])
    builds = [item.build for item in items]
    build = _build_list(builds) if any(builds) else None
    return Contract(_length_check(check, low, high), build, kinds=LIST_KINDS | items[0].kinds)


def _length_bounds(node: ListValue, cls: MuranoClass) -> tuple[list[Value], int, int | None]:
    """Return the item contracts with the minimum and maximum length.

    Integers at the end are the bounds; several types require as many items (S-06).
    """
    parts = list(node.items)
    numbers: list[int] = []
    while parts and len(numbers) < 2:
        number = _constant_integer(parts[-1])
        if number is None:
            break
        numbers.insert(0, number)
        parts.pop()
    low = numbers[0] if numbers else (len(parts) if len(parts) > 1 else 0)
    high = numbers[1] if len(numbers) > 1 else None
    if high is not None and high < low:
        raise MuranoError(
            CONTRACT_FORM,
            f"a list contract wants at least {low} and at most {high} items",
            place=Place(cls.node.source, node.span),
        )
    return parts, low, high


def _constant_integer(value: Value) -> int | None:
    if isinstance(value, Constant) and type(value.value) is int:
        return value.value
    return None


def _length_check(inner: Check, low: int, high: int | None) -> Check:
    if low <= 0 and high is None:
        return inner

    def check(value: Any, this: Any, loader: Any) -> Any:
        items = as_list(value)
        if len(items) < low:
            raise ContractViolationError(f"at least {low} items are wanted, {len(items)} were given", value)
        if high is not None and len(items) > high:
            raise ContractViolationError(f"at most {high} items are wanted, {len(items)} were given", value)
        return inner(items, this, loader)

    return check


def _all_alike(item_check: Check) -> Check:
    def check(value: Any, this: Any, loader: Any) -> Any:
        result: list[Any] = []
        append = result.append
        try:
            for item in as_list(value):
                append(item_check(item, this, loader))
        except ContractViolationError as violation:
            raise violation.inside(f"[{len(result)}]") from None
        return result

    return check


def _each_its_own(checks: list[Check]) -> Check:
    last = len(checks) - 1

    def check(value: Any, this: Any, loader: Any) -> Any:
        result: list[Any] = []
        try:
            for index, item in enumerate(as_list(value)):
                result.append(checks[min(index, last)](item, this, loader))
        except ContractViolationError as violation:
            raise violation.inside(f"[{len(result)}]") from None
        return result

    return check


def _build_list(builds: list[Build | None]) -> Build:
    last = len(builds) - 1

    def build(value: Any, owner: Any, loader: Any) -> Any:
        result: list[Any] = []
        for index, item in enumerate(as_list(value)):
            build = builds[min(index, last)]
            result.append(item if build is None else build(item, owner, loader))
        return result

    return build


# -- dictionaries ------------------------------------------------------------------------------------------------------


def map_contract(node: MapValue, cls: MuranoClass, compile_: Compile) -> Contract:
    """Return the contract of a dictionary: fixed keys, and at most one key that is an expression for the others."""
    fixed: dict[Any, Contract] = {}
    free: tuple[Contract, Contract] | None = None
    for key, value in node.entries:
        if isinstance(key, Expr):
            if free is not None:
                raise MuranoError(
                    CONTRACT_FORM,
                    "a dictionary contract has one key at most that is an expression",
                    place=Place(cls.node.source, key.span),
                )
            free = (compile_(key, cls), compile_(value, cls))
        elif isinstance(key, Constant):
            fixed[key.value] = compile_(value, cls)
        else:
            raise MuranoError(
                CONTRACT_FORM,
                "a key of a dictionary contract is a constant or an expression",
                place=Place(cls.node.source, key.span),
            )
    if not node.entries:
        return Contract(_any_dictionary, kinds=MAP_KINDS)
    builds = {key: contract.build for key, contract in fixed.items() if contract.build}
    free_build = free[1].build if free else None
    build = _build_map(builds, free_build, frozenset(fixed)) if builds or free_build else None
    return Contract(_map_check(fixed, free), build, kinds=MAP_KINDS)


def _any_dictionary(value: Any, _this: Any, _loader: Any) -> Any:
    if value is None:
        return {}
    if not isinstance(value, dict):
        raise ContractViolationError(f"{format_value(value)} is no dictionary", value)
    return value


def _map_check(fixed: dict[Any, Contract], free: tuple[Contract, Contract] | None) -> Check:
    checks = [(key, contract.check) for key, contract in fixed.items()]
    key_check = free[0].check if free else None
    value_check = free[1].check if free else ANYTHING.check

    def check(value: Any, this: Any, loader: Any) -> Any:
        entries = _any_dictionary(value, this, loader)
        result: dict[Any, Any] = {}
        key: Any = None
        of_key = False
        try:
            for key, item_check in checks:
                result[key] = item_check(entries.get(key), this, loader)
            if key_check is not None:
                for key, item in entries.items():
                    if key not in fixed:
                        of_key = True
                        name = key_check(key, this, loader)
                        of_key = False
                        result[name] = value_check(item, this, loader)
            elif len(entries) > len(fixed) or not entries.keys() <= fixed.keys():
                loader.note_dropped([key for key in entries if key not in fixed], this)
        except ContractViolationError as violation:
            if of_key and violation.subject is None:  # the violation is at the dictionary that has this key
                violation.reason = f"key: {violation.reason}"
                raise
            raise violation.inside(f"[{key!r}]") from None
        return result

    return check


def _build_map(builds: dict[Any, Build], free: Build | None, fixed: frozenset[Any]) -> Build:
    def build(value: Any, owner: Any, loader: Any) -> Any:
        if not isinstance(value, dict):
            return value
        result: dict[Any, Any] = {}
        for key, item in value.items():
            build = builds.get(key) if key in fixed else free
            result[key] = item if build is None else build(item, owner, loader)
        return result

    return build


def class_contract(call: Call, expr: Expr, cls: MuranoClass) -> Contract:
    """Return the contract `class(X, default)`: an object of the class, created from data if necessary."""
    names, options = _class_arguments(call, expr, cls, most=2, allowed=("name", "default", "versionSpec"))
    wanted = _class_resolver(names[0], call, expr, cls)
    default = _class_resolver(names[1], call, expr, cls) if len(names) > 1 else None
    del options
    made_class = default or wanted

    def build(value: Any, owner: Any, loader: Any) -> Any:
        return loader.shell(with_type(value, cls), owner, made_class()) if isinstance(value, dict) else value

    def check(value: Any, this: Any, loader: Any) -> Any:
        kind = wanted()
        if default is not None:
            default()  # a missing class is an error, whatever the value
        if value is None:
            return None
        value = unwrap_object(value)
        if type(value) is str:
            value = loader.find(value)
        elif isinstance(value, dict):
            value = loader.instantiate(with_type(value, cls), loader.owner_for(this), made_class())
        if not isinstance(value, MuranoObject):
            raise ContractViolationError(f"{format_value(value)} is no object of {kind.name}", value)
        if value.cls is not kind and not value.cls.is_a(kind) and not _is_other_version(value.cls, kind, cls):
            raise ContractViolationError(f"the object {value!r} is no {kind.name}", value)
        return value

    return Contract(check, build, kinds=OBJECT_KINDS, default_class=default, wanted_class=wanted)


def template_contract(call: Call, expr: Expr, cls: MuranoClass) -> Contract:
    """Return the contract `template(X, default)`: data that would be accepted as an object of the class."""
    names, options = _class_arguments(
        call, expr, cls, most=2, allowed=("type", "defaultType", "excludeProperties", "versionSpec")
    )
    wanted = _class_resolver(names[0], call, expr, cls)
    default = _class_resolver(names[1], call, expr, cls) if len(names) > 1 else None
    excluded = frozenset(_literal_texts(options.get("excludeProperties")))
    made_class = default or wanted

    def check(value: Any, this: Any, loader: Any) -> Any:
        kind = wanted()
        if value is None:
            return None
        value = unwrap_object(value)
        if not isinstance(value, MuranoObject | dict):
            raise ContractViolationError(f"{format_value(value)} is no template of {kind.name}", value)
        if isinstance(value, dict):
            value = with_type(value, cls)
        return loader.template(value, this, made_class(), wanted=kind, excluded=excluded)

    return Contract(check, kinds=MAP_KINDS, wanted_class=wanted, is_template=True)


def _is_other_version(actual: MuranoClass, wanted: MuranoClass, scope: MuranoClass) -> bool:
    """Tell whether a class is, or extends, the expected one in another version that a package's requirements allow."""
    spec = scope.package.manifest.require.get(wanted.package.name)
    return spec is not None and any(
        ancestor.name == wanted.name
        and ancestor.package.name == wanted.package.name
        and spec.allows(ancestor.package.manifest.version)
        for ancestor in actual.lineage
    )


def ownership_check(inner: Check, *, owned: bool) -> Check:
    """Return a check that the object is owned, or not owned, by the object with the property."""

    def check(value: Any, this: Any, loader: Any) -> Any:
        value = inner(value, this, loader)
        if value is None:
            return None
        if not isinstance(value, MuranoObject):
            raise ContractViolationError(f"{format_value(value)} is no object, it cannot be owned", value)
        if value.is_owned_by(this) is not owned:
            must = "must be owned by" if owned else "must not be owned by"
            raise ContractViolationError(f"the object {value!r} {must} {this!r}", value)
        return value

    return check


def class_name_of(node: Node) -> str | None:
    """Return the class name that a node spells: `ns:Name`, `:Name`, `Name`, `'a.b.Name'`, `a.b.Name`."""
    if isinstance(node, Group):
        return class_name_of(node.inner)
    if isinstance(node, Word):
        return node.value
    if isinstance(node, Literal):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, Unary) and node.operator == ":":
        name = class_name_of(node.operand)
        return None if name is None else ":" + name
    if isinstance(node, Binary) and node.operator in (":", "."):
        left, right = class_name_of(node.left), class_name_of(node.right)
        return None if left is None or right is None else f"{left}{node.operator}{right}"
    return None


def _class_arguments(
    call: Call, expr: Expr, cls: MuranoClass, *, most: int, allowed: tuple[str, ...]
) -> tuple[list[str], dict[str, Node]]:
    names: list[str] = []
    options: dict[str, Node] = {}
    for node in call.arguments:
        if isinstance(node, Rule) and isinstance(node.source, Word) and node.source.value in allowed:
            options[node.source.value] = node.target
            continue
        name = class_name_of(node)
        if name is None:
            raise _argument_error(call, expr, cls)
        names.append(name)
    named = (class_name_of(options[key]) for key in allowed[:2] if key in options)
    names.extend(name for name in named if name is not None)
    if not 1 <= len(names) <= most:
        raise _argument_error(call, expr, cls)
    return names, options


def _argument_error(call: Call, expr: Expr, cls: MuranoClass) -> MuranoError:
    return MuranoError(
        CONTRACT_FORM,
        f"{call.name}() takes the name of a class and, if wanted, of a default class",
        place=expression_place(cls.node.source, expr, Span(call.start, call.end)),
    )


def _class_resolver(name: str, call: Call, expr: Expr, cls: MuranoClass) -> Callable[[], MuranoClass]:
    """Return a function that resolves a class name at first use: classes may refer to each other in a cycle."""
    resolved: list[MuranoClass] = []

    def resolve() -> MuranoClass:
        if not resolved:
            try:
                resolved.append(cls.resolve(name))
            except MuranoError as error:
                error.place = error.place or expression_place(
                    cls.node.source, expr, Span(call.start, call.end)
                )
                raise
        return resolved[0]

    return resolve


def _literal_texts(node: Node | None) -> list[str]:
    if isinstance(node, ListLiteral):
        return [
            item.value
            for item in node.items
            if isinstance(item, Word | Literal) and isinstance(item.value, str)
        ]
    if isinstance(node, Word | Literal) and isinstance(node.value, str):
        return [node.value]
    return []
