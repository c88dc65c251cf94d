"""Contracts evaluated on a constant, without a class, object or model: checks use them for `Default`.

Parts of a contract that depend on anything but the value are taken as satisfied.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Any, Final, cast

from sabir.expressions.yaql import Dialect, Engine, Options, YaqlError, parse
from sabir.expressions.yaql.nodes import Call, Node, Variable, child_nodes
from sabir.languages.muranopl.model.classes import ClassContext
from sabir.languages.muranopl.model.contract_structures import list_contract, map_contract
from sabir.languages.muranopl.model.contract_types import ANYTHING, Contract
from sabir.languages.muranopl.model.contracts import compile_contract
from sabir.languages.muranopl.model.engines import ClassEngine
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError
from sabir.languages.muranopl.model.legacy_functions import first_library
from sabir.languages.muranopl.model.objects import HostObjects
from sabir.languages.muranopl.model.plain_functions import VALUES
from sabir.languages.muranopl.syntax.nodes import Constant, Expr, ListValue, MapValue
from sabir.languages.muranopl.syntax.values import read_value

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loader import Loader
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.syntax.nodes import Value
    from sabir.source.yaml.nodes import YamlNode
    from sabir.text import Source


# Seconds; patterns are matched in a separate process with this time limit.
_LONG: Final = 1.0
# The results of these depend on objects, on classes or on the time, or they have side effects.
_NOT_OF_THE_VALUE: Final = frozenset(
    [
        "call",
        "cast",
        "class",
        "decryptData",
        "find",
        "getAttr",
        "id",
        "localtz",
        "logger",
        "metadata",
        "name",
        "new",
        "notOwned",
        "now",
        "owned",
        "pselect",
        "psuper",
        "random",
        "randomName",
        "require",
        "setAttr",
        "sleep",
        "super",
        "template",
        "type",
        "typeinfo",
    ]
)


class ContractQuestions:
    """The contracts of one package format. Parts that need more than the value are taken as satisfied."""

    def __init__(self, format_: str) -> None:
        is_first = format_ in ("1.0", "1.1")
        self._engine = Engine(
            first_library(VALUES) if is_first else VALUES,
            options=Options(iterable_dicts=is_first),
            dialect=Dialect.MURANO,
            objects=HostObjects(),
        )
        self._gave_up = False

    def refusal(self, contract: YamlNode, value: Any, source: Source) -> ContractViolationError | None:
        """Return why the contract rejects the value; None if it accepts it, or if that cannot be decided."""
        if self._gave_up:
            return None
        cls = cast("MuranoClass", _Alone(source, self._engine))
        started = monotonic()
        try:
            _compile_partial(read_value(contract), cls).check(value, None, cast("Loader", _NoLoader()))
        except ContractViolationError as violation:
            return violation
        except (MuranoError, YaqlError):
            return None
        finally:
            # One such slow predicate per package is enough.
            self._gave_up = monotonic() - started > _LONG
        return None


class _Alone:
    """The part of a class that contracts on the value alone need."""

    def __init__(self, source: Source, engine: Engine) -> None:
        self.node = self
        self.source = source
        cls = cast("MuranoClass", self)
        self.context = ClassContext(cls)
        self.engine = ClassEngine(cls, engine)


class _NoLoader:
    def note_dropped(self, keys: list[Any], this: Any) -> None:
        """Do nothing: keys that the contract drops are reported elsewhere."""


def _compile_partial(contract: Value, cls: MuranoClass) -> Contract:
    if isinstance(contract, ListValue):
        return list_contract(contract, cls, _compile_partial)
    if isinstance(contract, MapValue):
        return map_contract(contract, cls, _compile_partial)
    if isinstance(contract, Constant):
        # A string that was meant as an expression is reported elsewhere.
        is_meant = isinstance(contract.value, str) and "$" in contract.value
        return ANYTHING if is_meant else compile_contract(contract, cls)
    tree = parse(contract.text, Dialect.MURANO).tree
    if _is_of_the_value(tree):
        return compile_contract(contract, cls)
    return compile_contract(_not_null_contract(contract), cls) if _has_call(tree, "notNull") else ANYTHING


def _not_null_contract(contract: Expr) -> Expr:
    """Return a contract of which only `notNull()` can be evaluated."""
    return Expr(span=contract.span, text="$.notNull()", node=contract.node)


def _is_of_the_value(node: Node) -> bool:
    match node:
        case Variable(name=name):
            return name == ""
        case Call(name=name) if name in _NOT_OF_THE_VALUE:
            return False
        case _:
            return all(map(_is_of_the_value, child_nodes(node)))


def _has_call(node: Node, name: str) -> bool:
    return (isinstance(node, Call) and node.name == name) or any(
        _has_call(child, name) for child in child_nodes(node)
    )
