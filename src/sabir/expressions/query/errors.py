"""What can go wrong with an expression: the exception that carries the finding, and the rules that several modules report.

A rule that one module reports stands there. The examples are TOSCA templates with an output that fails: outputs are where most
expressions of users stand.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final, Unpack

from msgspec.structs import replace

from sabir.diagnostics.finding import Finding, Frame
from sabir.diagnostics.rules import Rule, RuleOptions
from sabir.errors import FindingError
from sabir.text import Place, Source, Span


def expression_rule(code: str, *, title: str, why: str, **options: Unpack[RuleOptions]) -> Rule:
    options.setdefault("when", "evaluate")
    package = "sabir.expressions"
    return Rule(code=code, title=title, why=why, examples=package, language="tosca", **options)


BAD_ARGUMENTS: Final = expression_rule(
    "EXPR:E006",
    title="arguments that a function cannot take",
    why="There are too few or too many, or one of them has the wrong type.",
)

NOT_FOUND: Final = expression_rule(
    "EXPR:E008",
    title="something named is not there",
    why="An entity, property, folder, external or address that an expression needs does not exist.",
)

REFUSED: Final = expression_rule(
    "EXPR:E016",
    title="something that the project is not trusted with",
    why="Running Python, seeing environment variables, writing files, using the network and leaving the project are for the "
    "operator to allow: --trust python, env:NAME, write-files, network, outside.",
    withheld=True,
)

TOO_MUCH: Final = expression_rule(
    "EXPR:E017",
    title="an expression that asks for too much",
    why="It is too long, nests or repeats itself without end, or reads something too large.",
)


class QueryError(FindingError):
    """An expression that failed; `rule` says how, the one finding says where and what to do."""

    def __init__(self, rule: Rule, finding: Finding) -> None:
        super().__init__([finding])
        self.rule = rule

    @property
    def finding(self) -> Finding:
        return self.findings[0]

    @staticmethod
    def of(
        rule: Rule,
        message: str,
        *,
        place: Place | None = None,
        hint: str | None = None,
        frames: Iterable[Frame] = (),
    ) -> QueryError:
        where = place or Place(Source("<expression>", ""), Span(0, 0))
        return QueryError(rule, rule.at(where, message, hint=hint, frames=tuple(frames)))

    def with_location(self, place: Place | None) -> QueryError:
        """The same failure shown at the place of the value that holds the expression, when that is known."""
        if place is None or not self.finding.filename.startswith("<"):
            return self
        finding = self.finding
        message = finding.message
        if finding.place.source.text:
            message += f" (in {finding.place.source.text!r}, column {finding.location.column})"
        return QueryError(self.rule, replace(finding, message=message, place=place, whole_file=False))
