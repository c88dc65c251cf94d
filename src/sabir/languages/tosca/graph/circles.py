"""Operations that read what others give only behind them: said before anything runs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.graph.address import Address
from sabir.graph.values import unknowns
from sabir.languages.tosca.graph.lifecycles import Lifecycles
from sabir.languages.tosca.graph.reading import MOST
from sabir.languages.tosca.syntax.examples import tosca_rule

__all__ = ["circle_findings"]


READ_BEFORE: Final = tosca_rule(
    code="TOSCA:W091",
    title="an operation that reads what is given only behind it",
    why="An operation runs behind those that give what its inputs read. These would have to run behind one another, or the life of a "
    "node has another order, so the value is not there when the operation begins, and it fails. Read the value in a later "
    "operation, or give it in an earlier one.",
    when="plan",
)


def circle_findings(lifecycles: Lifecycles) -> Iterator[Finding]:
    """For each operation that lacks a value because of it; one that was given before serves once more."""
    for circle in lifecycles.circles:
        command = lifecycles.command(circle.reader)
        missing = unknowns(dict(lifecycles.desired(command)))
        if command.undoes or not any(each.of is None or each.of in circle.attributes for each in missing):
            continue
        others = [*map(_title, circle.others[:MOST]), *(["…"] if len(circle.others) > MOST else [])]
        yield READ_BEFORE.at(
            command.operation.definition.place,
            f"{_title(circle.reader)} reads what is given by operations that wait for it: {', '.join(others)}",
        )


def _title(address: Address) -> str:
    return str(address).replace(".interfaces.", "/")
