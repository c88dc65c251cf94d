"""What a compiled contract is."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.expressions.yaql.kinds import ANY
from sabir.languages.muranopl.syntax.failures import failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.loading import Loader
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["ANYTHING", "Build", "Check", "Contract"]

Check = Callable[[Any, Any, "Loader"], Any]
Build = Callable[[Any, "MuranoObject", "Loader"], Any]

CONTRACT_FORM: Final = failure_rule(
    "DslContractSyntaxError",
    "MRUN:E002",
    "a contract of the wrong form",
    "A contract is a chain of int(), string(), bool(), class(), template(), notNull(), check(), owned() and notOwned(), "
    "or a list or dictionary of contracts.",
)


class Contract(Struct, frozen=True, eq=False):
    """`check`, `build`, the kinds of values it is made for, and the class of an instance that is not given."""

    check: Check
    build: Build | None = None
    kinds: int = ANY
    default_class: Callable[[], MuranoClass] | None = None
    wanted_class: Callable[[], MuranoClass] | None = None
    is_template: bool = False

    def with_check(self, check: Check) -> Contract:
        return replace(self, check=check)


def _anything(value: Any, _this: Any, _loader: Any) -> Any:
    return value


ANYTHING: Final = Contract(_anything)
