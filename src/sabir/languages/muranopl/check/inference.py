"""Inference of the classes of values, without running anything.

Classes flow from contracts (`$.class(X)`), `new(X)`, `find(X)`, `cast(X)` and type names through assignments,
loops, properties and results of methods. Where two sources disagree, or one is unknown, the value is unknown:
a check that stays silent is better than a wrong one.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from msgspec import Struct

from sabir.expressions.yaql.nodes import Binary, Call, Group, Index, Literal, Node, Rule, Variable, Word
from sabir.languages.muranopl.check.class_view import ClassDocument
from sabir.languages.muranopl.check.code import binds_names
from sabir.languages.muranopl.check.contracts import contract_chain
from sabir.languages.muranopl.check.facts import ClassFacts, Facts, Lineage, MethodFacts, own_property
from sabir.languages.muranopl.syntax.expressions import (
    ExpressionText,
    is_expression_scalar,
    parse_scalar,
    read_dotted_name,
    type_name,
)
from sabir.languages.muranopl.syntax.names import is_type_reference
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.source.yaml.nodes import YamlNode, YamlScalar, YamlSequence

ITEM_FUNCTIONS: Final = frozenset(
    [
        "select",
        "where",
        "filter",
        "map",
        "selectMany",
        "any",
        "all",
        "orderBy",
        "orderByDescending",
        "takeWhile",
        "skipWhile",
        "indexWhere",
        "pselect",
    ]
)
"""Methods of lists whose arguments are evaluated for each item."""
_SAME_ITEMS: Final = frozenset(
    [
        "where",
        "filter",
        "orderBy",
        "orderByDescending",
        "takeWhile",
        "skipWhile",
        "take",
        "skip",
        "limit",
        "distinct",
        "reverse",
        "toList",
    ]
)
_ONE_ITEM: Final = frozenset({"first", "last", "single"})


class ObjectType(Struct, frozen=True):
    """An object of a class, or a list of such objects."""

    cls: str
    is_list: bool = False

    @property
    def item(self) -> ObjectType:
        return ObjectType(self.cls)


class Inference:
    """Infers the classes of values in the methods of one package. Every answer is computed once."""

    def __init__(self, facts: Facts) -> None:
        self._facts = facts
        self._answers: dict[tuple[object, ...], ObjectType | None] = {}

    def type_of(
        self, node: Node, facts: ClassFacts, method: MethodFacts, dollar: ObjectType | None
    ) -> ObjectType | None:
        """Return the class of a part of an expression; `dollar` is the class of a bare `$` in it."""
        return _Place(self, facts, method).type_of(node, dollar)

    def this_type(self, facts: ClassFacts, method: MethodFacts) -> ObjectType | None:
        return None if method.is_static or facts.document.name is None else ObjectType(facts.document.name)

    def lineage_of(self, cls: str) -> Lineage | None:
        return self._facts.lineage_of(cls)

    # -- members -----------------------------------------------------------------------------------------------------

    def property_type(self, cls: str, name: str) -> ObjectType | None:
        return self._once((cls, name), lambda: self._property_type(cls, name))

    def _property_type(self, cls: str, name: str) -> ObjectType | None:
        relatives = self._facts.relatives(cls)
        declared = [
            self.contract_type(facts.document, property_.contract.node)
            for facts in relatives
            for property_ in facts.document.members.properties
            if property_.name == name
        ]
        return _common_type(declared or self._find_assigned_types(relatives, name))

    def _find_assigned_types(self, relatives: Iterable[ClassFacts], name: str) -> Iterable[ObjectType | None]:
        """Return the types that the methods of a class assign to an undeclared property."""
        for facts in relatives:
            for method in facts.methods:
                for assignment in method.body.assignments:
                    if own_property(assignment.target.tree) == name:
                        yield from self.value_types(assignment.value, facts, method)

    def infer_return_type(self, cls: str, name: str) -> ObjectType | None:
        return self._once((cls, name, "()"), lambda: self._find_return_type(cls, name))

    def _find_return_type(self, cls: str, name: str) -> ObjectType | None:
        types: list[ObjectType | None] = []
        for facts in self._facts.relatives(cls):
            for method in facts.methods:
                if method.name == name:
                    for value in method.body.returns:
                        types.extend(self.value_types(value, facts, method))
        return _common_type(types)

    def variable_type(self, facts: ClassFacts, method: MethodFacts, name: str) -> ObjectType | None:
        key = (id(method.body), name)
        return self._once(key, lambda: _common_type(self._variable_types(facts, method, name)))

    def _variable_types(
        self, facts: ClassFacts, method: MethodFacts, name: str
    ) -> Iterable[ObjectType | None]:
        body = method.body
        if (
            not body.is_sound
            or name in body.caught
            or any(binds_names(text.tree) for text in body.expressions)
        ):
            yield None
        for argument in method.node.arguments:
            if argument.name == name:
                is_usual = argument.usage == "Standard"
                yield self.contract_type(facts.document, argument.contract.node) if is_usual else None
        for assignment in body.assignments:
            if isinstance(assignment.target.tree, Variable) and assignment.target.tree.name == name:
                yield from self.value_types(assignment.value, facts, method)
        for variable, collection in body.loops:
            if variable == name:
                for type_ in self.value_types(collection, facts, method):
                    yield type_.item if type_ is not None and type_.is_list else None

    # -- values ------------------------------------------------------------------------------------------------------

    def value_types(
        self, value: YamlNode, facts: ClassFacts, method: MethodFacts
    ) -> Iterable[ObjectType | None]:
        """Yield the class of a value that code assigns or returns; nothing for null, which any class accepts."""
        if not isinstance(value, YamlScalar) or not is_expression_scalar(value):
            yield None
            return
        parsed = parse_scalar(facts.report, value)
        if not isinstance(parsed, ExpressionText):
            yield None
        elif not (isinstance(parsed.tree, Literal) and parsed.tree.value is None):
            yield self.type_of(parsed.tree, facts, method, self.this_type(facts, method))

    def contract_type(self, document: ClassDocument, contract: YamlNode | None) -> ObjectType | None:
        """Return the type of `$.class(X)` with any calls after it, or of a list of that."""
        if isinstance(contract, YamlSequence):
            items = contract.items
            inner = self.contract_type(document, items[0]) if items else None
            return ObjectType(inner.cls, is_list=True) if inner is not None and not inner.is_list else None
        if not isinstance(contract, YamlScalar) or not isinstance(contract.value, str):
            return None
        parsed = parse_scalar(FileReporter(document.source), contract)
        if not isinstance(parsed, ExpressionText):
            return None
        for call in contract_chain(parsed.tree) or ():
            if call.name == "class" and call.arguments:
                return resolve_class_argument(document, call.arguments[0])
        return None

    def _once(self, key: tuple[object, ...], ask: Callable[[], ObjectType | None]) -> ObjectType | None:
        """Compute an answer once. If the computation needs its own result, the answer is unknown; this ends
        recursion.
        """
        if key not in self._answers:
            self._answers[key] = None
            self._answers[key] = ask()
        return self._answers[key]


class _Place(Struct, frozen=True, eq=False):
    """A method whose expressions are examined."""

    inference: Inference
    facts: ClassFacts
    method: MethodFacts

    def type_of(self, node: Node, dollar: ObjectType | None) -> ObjectType | None:
        match node:
            case Variable(name=""):
                return dollar
            case Variable(name="this"):
                return self.inference.this_type(self.facts, self.method)
            case Variable(name=name):
                return self.inference.variable_type(self.facts, self.method, name)
            case Group(inner=inner):
                return self.type_of(inner, dollar)
            case Call(name="new" | "cast" | "find", arguments=arguments):
                return self._infer_class_argument(node.name, arguments)
            case Binary(operator="." | "?.", left=left, right=Word(value=name)):
                return self._property(self.type_of(left, dollar), name)
            case Binary(operator="." | "?.", left=left, right=Call() as call):
                return self._infer_call(self.type_of(left, dollar), call)
            case Index(value=value, arguments=(index,)):
                type_ = self.type_of(value, dollar)
                is_number = isinstance(index, Literal) and isinstance(index.value, int)
                return type_.item if type_ is not None and type_.is_list and is_number else None
            case _:
                return None

    def _infer_class_argument(self, function: str, arguments: tuple[Node, ...]) -> ObjectType | None:
        """Return the class of `new(X, …)` and `cast(value, X)`."""
        at = 0 if function == "new" else 1
        return resolve_class_argument(self.facts.document, arguments[at]) if len(arguments) > at else None

    def _property(self, receiver: ObjectType | None, name: str) -> ObjectType | None:
        if receiver is None:
            return None
        type_ = self.inference.property_type(receiver.cls, name)
        return type_ if not receiver.is_list else None

    def _infer_call(self, receiver: ObjectType | None, call: Call) -> ObjectType | None:
        if call.name in ("find", "cast") and call.arguments:
            return resolve_class_argument(self.facts.document, call.arguments[0])
        if receiver is None:
            return None
        if not receiver.is_list:
            return self.inference.infer_return_type(receiver.cls, call.name)
        if call.name in _SAME_ITEMS:
            return receiver
        if call.name in _ONE_ITEM:
            return receiver.item
        if call.name in ("select", "map") and call.arguments and not isinstance(call.arguments[0], Rule):
            type_ = self.type_of(call.arguments[0], receiver.item)
            return None if type_ is None or type_.is_list else ObjectType(type_.cls, is_list=True)
        return None


def resolve_class_argument(document: ClassDocument, node: Node) -> ObjectType | None:
    """Return the class that an argument names: `prefix:Name`, `Name`, `a.b.Name`, `'a.b.Name'`."""
    written = type_name(node)
    if written is None and isinstance(node, Literal | Word):
        written = node.value if isinstance(node.value, str) else None
    elif written is None:
        written = read_dotted_name(node)
    name = document.resolve(written) if written is not None and is_type_reference(written) else None
    return None if name is None else ObjectType(name)


def _common_type(types: Iterable[ObjectType | None]) -> ObjectType | None:
    """Return the type that all sources agree on; null carries no information."""
    distinct = set(types)
    return next(iter(distinct)) if len(distinct) == 1 else None
