"""Checks of method bodies (spec 001, "Class validation"), and of the local variables in them.

A body is read once into a `MethodBody`: its expressions, assignments and variables. The checks of variables
ignore the order of statements, since a loop may reverse any order, and make no report about a body that could
not be read completely.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.errors import YaqlSyntaxError
from sabir.expressions.yaql.nodes import Binary, Call, Node, Rule, Variable, Word, child_nodes
from sabir.languages.muranopl.check.repairs import call_alone
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax import nodes as ast
from sabir.languages.muranopl.syntax.constructs import NO_TARGET, STATEMENT_FORM
from sabir.languages.muranopl.syntax.defects import Defects
from sabir.languages.muranopl.syntax.expressions import (
    UNPARSABLE,
    ExpressionText,
    expression_of,
    looks_like_code,
    parse_error_finding,
    parse_scalar,
)
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.languages.muranopl.syntax.statements import read_block
from sabir.source.yaml.nodes import Style, YamlNode, YamlScalar
from sabir.text import Span

_LEAVING: Final = (ast.Return, ast.Throw, ast.Break, ast.Continue)
_UNREADABLE: Final = frozenset(rule.code for rule in (UNPARSABLE, NO_TARGET, STATEMENT_FORM))

LEAVING_NO_LOOP: Final = package_rule(
    "MPL:E205",
    "Break or Continue outside of a loop",
    "Only While, For and Repeat can be left or continued.",
)
UNREACHABLE: Final = package_rule(
    "MPL:W206",
    "code that is never reached",
    "The statement before it leaves the block: Return, Throw, Break or Continue.",
)


class BodyAssignment(Struct, frozen=True, eq=False):
    """An assignment: its target as an expression, and the node it is reported at."""

    target: ExpressionText
    value: YamlNode


class MethodBody:
    """The expressions, assignments and variables of a method body, and the findings about its form."""

    __slots__ = ("assignments", "bound", "caught", "expressions", "findings", "loops", "returns")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.expressions: list[ExpressionText] = []
        self.assignments: list[BodyAssignment] = []
        self.bound: set[str] = set()  # variables bound by a construct: For and As
        self.caught: set[str] = set()  # variables bound by As
        self.loops: list[tuple[str, YamlNode]] = []  # variables of For, and the collections they iterate over
        self.returns: list[YamlNode] = []

    @property
    def is_sound(self) -> bool:
        """False if a part could not be read. No variable of such a body is reported as unread or unassigned."""
        return not any(finding.code in _UNREADABLE for finding in self.findings)


def read_body(report: FileReporter, node: YamlNode | None) -> MethodBody:
    """Read a method body; a missing or empty body is an empty method."""
    body = MethodBody()
    if node is not None:
        defects = Defects(report.source)
        block = read_block(node, defects)
        body.findings += (defect.finding for defect in defects.noted if defect.is_checked)
        _Walker(report, body).block(block, in_loop=False)
    return body


class _Walker:
    __slots__ = ("body", "report")

    def __init__(self, report: FileReporter, body: MethodBody) -> None:
        self.report = report
        self.body = body

    def block(self, block: ast.Block, *, in_loop: bool) -> None:
        leaves = False
        reported = False
        for statement in block:
            if leaves and not reported:
                message = "this is never reached: the statement before it leaves the block"
                self.body.findings.append(self.report.at(statement.span, UNREACHABLE, message))
                reported = True
            self.statement(statement, in_loop=in_loop)
            leaves = leaves or isinstance(statement, _LEAVING)

    def statement(self, statement: ast.Statement, *, in_loop: bool) -> None:
        match statement:
            case ast.ExpressionStatement(expression=expression):
                self.expression(expression)
            case ast.Assignment():
                self.assignment(statement)
            case ast.BrokenStatement(value=value) if value is not None:
                self.value(value)
            case ast.Return(value=value):
                self.body.returns.append(value.node)
                self.value(value)
            case ast.Break(key=key):
                self.leave_loop(key, "Break", in_loop=in_loop)
            case ast.Continue(key=key):
                self.leave_loop(key, "Continue", in_loop=in_loop)
            case ast.Throw(names=names, message=message, extra=extra, cause=cause):
                for value in (names, message, extra, cause):
                    if value is not None:
                        self.value(value)
            case ast.While(condition=condition, body=body):
                if isinstance(condition, ast.Expr):
                    self.expression(condition)
                self.block(body, in_loop=True)
            case ast.Repeat(times=times, body=body):
                self.predicate(times)
                self.block(body, in_loop=True)
            case ast.For(variable=variable, collection=collection, body=body):
                self.body.bound.add(variable)
                self.body.loops.append((variable, collection.node))
                self.value(collection)
                self.block(body, in_loop=True)
            case _:
                self.choice(statement, in_loop=in_loop)

    def choice(self, statement: ast.Statement, *, in_loop: bool) -> None:
        """Walk constructs whose blocks belong to the same loop as the construct."""
        match statement:
            case ast.If(condition=condition):
                self.predicate(condition)
            case ast.Match(value=value):
                self.value(value)
            case ast.Switch(cases=cases):
                for key, _ in cases:
                    self.predicate(key)
            case ast.Parallel(limit=limit) if limit is not None:
                self.predicate(limit)
            case ast.Try(catches=catches):
                self.body.caught.update(clause.variable for clause in catches if clause.variable is not None)
                self.body.bound |= self.body.caught
            case _:
                pass
        for block in _inner_blocks(statement):
            self.block(block, in_loop=in_loop)

    def leave_loop(self, key: Span, keyword: str, *, in_loop: bool) -> None:
        if not in_loop:
            message = f"{keyword} outside of a loop: there is no While, For or Repeat to leave"
            self.body.findings.append(self.report.at(key, LEAVING_NO_LOOP, message))

    def assignment(self, statement: ast.Assignment) -> None:
        self.value(statement.value)
        target = expression_of(self.report, statement.target)
        if isinstance(target, ExpressionText):
            self.body.assignments.append(BodyAssignment(target, statement.value.node))

    def predicate(self, value: ast.Value) -> None:
        """Walk a condition or a count: a string is an expression there, other scalars are constants."""
        if isinstance(value, ast.Expr):
            self.expression(value)
        elif isinstance(value, ast.Constant) and isinstance(value.value, str) and value.value:
            assert isinstance(value.node, YamlScalar)
            self.record_expression(value.node, parse_scalar(self.report, value.node))

    def expression(self, expression: ast.Expr) -> None:
        self.record_expression(expression.node, expression_of(self.report, expression))

    def record_expression(self, scalar: YamlScalar, parsed: ExpressionText | YaqlSyntaxError) -> None:
        if isinstance(parsed, ExpressionText):
            self.body.expressions.append(parsed)
        else:
            self.body.findings.append(parse_error_finding(self.report, scalar, parsed))

    def value(self, value: ast.Value) -> None:
        """Walk the expressions of a value; report plain text that looks like code and does not parse."""
        match value:
            case ast.Expr():
                self.expression(value)
            case ast.Constant(value=str(text), node=YamlScalar(style=Style.PLAIN, tag=None) as scalar):
                if looks_like_code(text):
                    parsed = parse_scalar(self.report, scalar)
                    if not isinstance(parsed, ExpressionText):
                        self.body.findings.append(parse_error_finding(self.report, scalar, parsed))
            case ast.ListValue(items=items):
                for item in items:
                    self.value(item)
            case ast.MapValue(entries=entries):
                for key, item in entries:
                    if isinstance(key, ast.Expr):
                        self.expression(key)
                    self.value(item)
            case _:
                pass


def _inner_blocks(statement: ast.Statement) -> Iterator[ast.Block]:
    match statement:
        case ast.If(then=then, otherwise=otherwise):
            yield from (then, otherwise)
        case ast.Match(cases=cases, default=default) | ast.Switch(cases=cases, default=default):
            yield from (block for _, block in cases)
            yield default
        case ast.Parallel(branches=block) | ast.Do(body=block):
            yield block
        case ast.Try(body=body, catches=catches, otherwise=otherwise, final=final):
            yield from (body, *(clause.body for clause in catches), otherwise, final)
        case _:
            pass


# Functions that bind names (`let(x => 1) -> $x`, `… .as($ => x)`); variables are not checked where one occurs.
_BINDERS: Final = frozenset({"let", "as", "def", "with", "unpack", "lambda"})

NEVER_READ: Final = package_rule(
    "MPL:W207",
    "a variable that is never read",
    "Either the assignment is left over, or the place that should read it has another name.",
    fixable=True,
)
NEVER_ASSIGNED: Final = package_rule(
    "MPL:E208",
    "a variable that nothing assigns",
    "It is no argument, no loop variable, and no statement of the method assigns it, so it is always null.",
    fixable=True,
)


def check_locals(report: FileReporter, body: MethodBody, arguments: frozenset[str]) -> Iterator[Finding]:
    """Report local variables that are never read or never assigned.

    The order of statements is ignored: a loop may reverse any order.
    """
    if not body.is_sound:
        return
    reads: dict[str, tuple[ExpressionText, Variable]] = {}
    binds = False
    for expression in body.expressions:
        for variable in _find_variables(expression.tree):
            reads.setdefault(variable.name, (expression, variable))
        binds = binds or binds_names(expression.tree)
    written: dict[str, BodyAssignment] = {}
    for assignment in body.assignments:
        tree = assignment.target.tree
        if isinstance(tree, Variable):
            written.setdefault(tree.name, assignment)
        else:
            # `$x.a: 1` reads $x and writes into its value.
            for variable in _find_variables(tree):
                reads.setdefault(variable.name, (assignment.target, variable))
    assigned = {*written, *body.bound, *arguments, "this"}
    missing = [name for name in reads if name and not name.isdigit() and name not in assigned]
    for name, assignment in written.items():
        if name and name not in reads and name not in ("this", "_"):
            hint = "remove the assignment, or keep only the call on its right side"
            target = assignment.target
            # A variable that is read under another name may be a misspelling of this one.
            fix = None if missing else call_alone(report, target.scalar, assignment.value)
            message = f"${name} is assigned and never read"
            yield report.at(target.span(), NEVER_READ, message, hint=hint, fix=fix)
    if binds:
        return
    for name in missing:
        expression, variable = reads[name]
        message = f"${name} is read, but it is no argument and nothing assigns it"
        span, meant = expression.span(variable), report.near(name, assigned, sign="$")
        fix = report.build_rename_fix(span, f"${name}", meant.only)
        yield report.at(span, NEVER_ASSIGNED, message, hint=meant.hint, fix=fix)


def _find_variables(node: Node) -> Iterator[Variable]:
    if isinstance(node, Variable):
        yield node
    for child in child_nodes(node):
        yield from _find_variables(child)


def binds_names(node: Node) -> bool:
    """Tell whether an expression binds names of its own, so that any `$x` in it may be one of them."""
    match node:
        case Binary(operator="->"):
            return True
        case Call(name=name, arguments=arguments) if name in _BINDERS:
            return any(isinstance(argument, (Rule, Word)) for argument in arguments) or name in (
                "as",
                "unpack",
            )
        case _:
            return any(binds_names(child) for child in child_nodes(node))
