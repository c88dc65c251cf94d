"""`class()`, `template()`, `owned()` and `notOwned()`."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from sabir.expressions.yaql.nodes import Binary, Call, Group, ListLiteral, Literal, Node, Rule, Unary, Word
from sabir.languages.muranopl.model.contract_kinds import MAP_KINDS, OBJECT_KINDS
from sabir.languages.muranopl.model.contract_types import CONTRACT_FORM, Check, Contract
from sabir.languages.muranopl.model.definitions import with_type
from sabir.languages.muranopl.model.errors import ContractViolation, MuranoError, shown
from sabir.languages.muranopl.model.objects import MuranoObject, unwrapped
from sabir.languages.muranopl.syntax.nodes import Expr
from sabir.languages.muranopl.syntax.values import expression_place
from sabir.text import Span

if TYPE_CHECKING:
    from sabir.languages.muranopl.model.classes import MuranoClass

__all__ = ["class_contract", "class_name_of", "ownership", "template_contract"]


def class_contract(call: Call, expr: Expr, cls: MuranoClass) -> Contract:
    names, options = _arguments(call, expr, cls, most=2, allowed=("name", "default", "versionSpec"))
    wanted = _resolver(names[0], call, expr, cls)
    default = _resolver(names[1], call, expr, cls) if len(names) > 1 else None
    del options
    made_class = default or wanted

    def build(value: Any, owner: Any, loader: Any) -> Any:
        return loader.shell(with_type(value, cls), owner, made_class()) if isinstance(value, dict) else value

    def check(value: Any, this: Any, loader: Any) -> Any:
        kind = wanted()
        if default is not None:
            default()  # a class that is not there is a mistake, whatever the value
        if value is None:
            return None
        value = unwrapped(value)
        if type(value) is str:
            value = loader.find(value)
        elif isinstance(value, dict):
            value = loader.instantiate(with_type(value, cls), loader.owner_for(this), made_class())
        if not isinstance(value, MuranoObject):
            raise ContractViolation(f"{shown(value)} is no object of {kind.name}", value)
        if value.cls is not kind and not value.cls.is_a(kind) and not _is_other_version(value.cls, kind, cls):
            raise ContractViolation(f"the object {value!r} is no {kind.name}", value)
        return value

    return Contract(check, build, kinds=OBJECT_KINDS, default_class=default, wanted_class=wanted)


def template_contract(call: Call, expr: Expr, cls: MuranoClass) -> Contract:
    names, options = _arguments(
        call, expr, cls, most=2, allowed=("type", "defaultType", "excludeProperties", "versionSpec")
    )
    wanted = _resolver(names[0], call, expr, cls)
    default = _resolver(names[1], call, expr, cls) if len(names) > 1 else None
    excluded = frozenset(_texts(options.get("excludeProperties")))
    made_class = default or wanted

    def check(value: Any, this: Any, loader: Any) -> Any:
        kind = wanted()
        if value is None:
            return None
        value = unwrapped(value)
        if not isinstance(value, MuranoObject | dict):
            raise ContractViolation(f"{shown(value)} is no template of {kind.name}", value)
        if isinstance(value, dict):
            value = with_type(value, cls)
        return loader.template(value, this, made_class(), wanted=kind, excluded=excluded)

    return Contract(check, kinds=MAP_KINDS, wanted_class=wanted, is_template=True)


def _is_other_version(actual: MuranoClass, wanted: MuranoClass, scope: MuranoClass) -> bool:
    """Whether a class is the wanted one, or extends it, in another version that the requirements of a package allow."""
    spec = scope.package.manifest.require.get(wanted.package.name)
    return spec is not None and any(
        ancestor.name == wanted.name
        and ancestor.package.name == wanted.package.name
        and spec.allows(ancestor.package.manifest.version)
        for ancestor in actual.lineage
    )


def ownership(inner: Check, *, owned: bool) -> Check:
    def check(value: Any, this: Any, loader: Any) -> Any:
        value = inner(value, this, loader)
        if value is None:
            return None
        if not isinstance(value, MuranoObject):
            raise ContractViolation(f"{shown(value)} is no object, it cannot be owned", value)
        if value.is_owned_by(this) is not owned:
            must = "must be owned by" if owned else "must not be owned by"
            raise ContractViolation(f"the object {value!r} {must} {this!r}", value)
        return value

    return check


def class_name_of(node: Node) -> str | None:
    """The class name that a part of an expression spells: `ns:Name`, `:Name`, `Name`, `'a.b.Name'`, `a.b.Name`."""
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


def _arguments(
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
            raise _wrong(call, expr, cls)
        names.append(name)
    named = (class_name_of(options[key]) for key in allowed[:2] if key in options)
    names.extend(name for name in named if name is not None)
    if not 1 <= len(names) <= most:
        raise _wrong(call, expr, cls)
    return names, options


def _wrong(call: Call, expr: Expr, cls: MuranoClass) -> MuranoError:
    return MuranoError(
        CONTRACT_FORM,
        f"{call.name}() takes the name of a class and, if wanted, of a default class",
        place=expression_place(cls.node.source, expr, Span(call.start, call.end)),
    )


def _resolver(name: str, call: Call, expr: Expr, cls: MuranoClass) -> Callable[[], MuranoClass]:
    """The class of a name, looked up at first use: classes may refer to each other in a circle."""
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


def _texts(node: Node | None) -> list[str]:
    if isinstance(node, ListLiteral):
        return [
            item.value
            for item in node.items
            if isinstance(item, Word | Literal) and isinstance(item.value, str)
        ]
    if isinstance(node, Word | Literal) and isinstance(node.value, str):
        return [node.value]
    return []
