"""Declared properties: write permissions, the source of the value, and the contract."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from sabir.expressions.yaql.scope import Closure
from sabir.languages.muranopl.model.definitions import parse_type
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError, format_value
from sabir.languages.muranopl.model.objects import CONTEXT, DEPTH, THIS
from sabir.languages.muranopl.syntax.nodes import PropertyNode
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loader import Loader
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.contract_types import Contract


WRITABLE: Final = frozenset({"Out", "InOut", "Runtime", "Static", "Config"})
"""What a workflow may write."""
WRITTEN_OUT: Final = frozenset({"In", "Out", "InOut", "Const"})
"""What the object model holds."""


class PropertyDeclaration:
    """One declaration of a property in one class."""

    __slots__ = (
        "cls",
        "configured",
        "configured_place",
        "contract",
        "default",
        "is_read",
        "is_static",
        "is_writable",
        "is_written_out",
        "name",
        "node",
        "usage",
    )

    def __init__(
        self, node: PropertyNode, cls: MuranoClass, contract: Contract, default: Closure | None
    ) -> None:
        self.node = node
        self.cls = cls
        self.name = node.name
        self.usage = node.usage
        self.contract = contract
        self.default = default
        self.configured = False
        """True when the default comes from the class configuration."""
        self.configured_place: Place | None = None
        self.is_static = node.usage == "Static"
        self.is_writable = node.usage in WRITABLE
        self.is_written_out = node.usage in WRITTEN_OUT
        self.is_read = self.is_written_out
        """Whether the object model may give the value."""

    @property
    def place(self) -> Place:
        return Place(self.cls.node.source, self.node.span)

    @property
    def contract_place(self) -> Place:
        return Place(self.cls.node.source, self.node.contract.span)

    def convert(self, value: Any, this: Any, loader: Loader) -> Any:
        """Return the value as converted by the contract; a violation names this property."""
        try:
            return self.contract.check(value, this, loader)
        except ContractViolationError as violation:
            raise self.name_violation(violation) from None

    def conform(self, value: Any, this: Any, loader: Loader) -> None:
        """Check a value converted by a descendant's declaration; it must conform without further conversion.

        A template may lack properties that the descendant excludes, so only its class is checked.
        """
        if self.contract.is_template and isinstance(value, dict):
            self._conform_template(value)
            return
        converted = self.convert(value, this, loader)
        if isinstance(value, str | int | float) and type(converted) is not type(value):
            raise self.name_violation(
                ContractViolationError(
                    f"{format_value(value)} is of another type than the ancestor declares", value
                )
            )

    def _conform_template(self, template: dict[str, Any]) -> None:
        runtime = self.cls.runtime
        cls = runtime.class_of_type(parse_type(template["?"]["type"]))
        wanted = self.contract.wanted_class
        if wanted is not None and not cls.is_a(wanted()):
            raise self.name_violation(ContractViolationError(f"{cls.name} is no {wanted().name}", template))

    def name_violation(self, violation: ContractViolationError) -> ContractViolationError:
        return violation.add_subject(f"{self.cls.name}.{self.name}", self.contract_place)

    def default_value(self, this: Any) -> Any:
        """Return the evaluated default; null if there is none."""
        if self.default is None:
            return None
        return self.default({"$": this, THIS: this, CONTEXT: self.cls.context, DEPTH: 0})

    def initialise_static(self) -> Any:
        values = self.cls.static_values
        values[self.name] = None  # a default that reads the property itself sees null instead of recursing
        try:
            values[self.name] = value = self.convert(
                self.default_value(self.cls), self.cls, self.cls.runtime.loader
            )
        except MuranoError:
            del values[self.name]
            raise
        return value
