"""Declared arguments of methods, with their contracts."""

from __future__ import annotations

from typing import Any

from sabir.expressions.yaql.scope import Closure
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.contract_types import Contract
from sabir.languages.muranopl.model.contracts import compile_contract
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.syntax.nodes import ArgumentNode


class MethodArgument:
    """A declared argument with its compiled contract."""

    __slots__ = ("check", "contract", "default", "name", "node")

    def __init__(self, node: ArgumentNode, cls: MuranoClass) -> None:
        self.node = node
        self.name = node.name
        self.contract: Contract = _compile_argument(node, cls)
        self.check = self.contract.check
        self.default: Closure | None = None if node.default is None else cls.engine.guard_value(node.default)


class WrongArgumentsError(MuranoError):
    """A call whose arguments do not match the declaration.

    In the original engine the expression language rejects such a call, so code catches it by the name it has
    there.
    """

    @property
    def names(self) -> tuple[str, ...]:
        name = "NoMatchingMethodException"
        return (f"yaql.language.exceptions.{name}", name, *super().names)


def _compile_argument(node: ArgumentNode, cls: MuranoClass) -> Contract:
    """Compile the contract of an argument.

    An unusable contract fails the calls of its method, not the class with all other methods.
    """
    try:
        return compile_contract(node.contract, cls)
    except MuranoError as error:
        failure = error

    def fail(_value: Any, _this: Any, _loader: Any) -> Any:
        raise failure

    return Contract(fail)
