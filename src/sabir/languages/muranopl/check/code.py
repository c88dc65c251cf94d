"""Method bodies as code (spec 001, "Class validation"): expressions, assignments and block constructs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Fix
from sabir.diagnostics.near import near
from sabir.expressions.yaql.nodes import Binary, Call, Index, Node, Variable, Word
from sabir.languages.muranopl.check.expressions import (
    ExpressionText,
    parse_scalar,
    type_name,
    unparsable,
    value_expressions,
)
from sabir.languages.muranopl.check.repairs import without_value
from sabir.languages.muranopl.check.report import Report, kind_of, shown
from sabir.languages.muranopl.check.shapes import is_null
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

__all__ = ["Assignment", "Body", "read_body"]


class Construct(Struct, frozen=True, eq=False):
    """The keywords of a block construct; the first required one names it."""

    required: tuple[str, ...]
    optional: tuple[str, ...] = ()

    @property
    def known(self) -> frozenset[str]:
        return frozenset((*self.required, *self.optional))


_CONSTRUCTS: Final = {
    construct.required[0]: construct
    for construct in (
        Construct(("If", "Then"), ("Else",)),
        Construct(("While", "Do")),
        Construct(("For", "In", "Do")),
        Construct(("Repeat", "Do")),
        Construct(("Match", "Value"), ("Default",)),
        Construct(("Switch",), ("Default",)),
        Construct(("Parallel",), ("Limit",)),
        Construct(("Try", "Catch"), ("Else", "Finally", "With", "As", "Do")),
        Construct(("Throw",), ("Message", "Extra", "Cause")),
        Construct(("Return",)),
        Construct(("Break",)),
        Construct(("Continue",)),
        Construct(("Rethrow",)),
        Construct(("Do",)),
    )
}
# `Do` opens a construct only where no other keyword does.
_OPENERS: Final = tuple(name for name in _CONSTRUCTS if name != "Do")
_LEAVING: Final = frozenset({"Return", "Throw", "Break", "Continue"})
_EXCEPTION_KEYS: Final = frozenset({"With", "As", "Do"})


class Assignment(Struct, frozen=True, eq=False):
    """An assignment: its target as an expression and the node it is reported at."""

    target: ExpressionText
    value: YamlNode


class Body:
    """What a method body holds: its expressions, assignments and variables, and the findings about its form."""

    __slots__ = ("assignments", "bound", "expressions", "findings")

    def __init__(self) -> None:
        self.findings: list[Finding] = []
        self.expressions: list[ExpressionText] = []
        self.assignments: list[Assignment] = []
        self.bound: set[str] = set()  # variables that a construct binds: For and As

    @property
    def is_sound(self) -> bool:
        """False when something could not be read; then no variable is said to be unread or unassigned."""
        return not any(finding.code in ("MPL:W202", "MPL:E201", "MPL:E204") for finding in self.findings)


def read_body(report: Report, node: YamlNode | None) -> Body:
    """Read a method body; a body that is missing or empty is an empty method."""
    body = Body()
    if node is not None:
        _Reader(report, body).block(node, in_loop=False)
    return body


class _Reader:
    __slots__ = ("body", "report")

    def __init__(self, report: Report, body: Body) -> None:
        self.report = report
        self.body = body

    def block(self, node: YamlNode, *, in_loop: bool) -> None:
        """A list of statements, or one statement alone."""
        if is_null(node):
            return
        if not isinstance(node, YamlSequence):
            self.statement(node, in_loop=in_loop)
            return
        left = False
        reported = False
        for item in node.items:
            if left and not reported:
                self.find(item, "MPL:W206", "this is never reached: the statement before it leaves the block")
                reported = True
            self.statement(item, in_loop=in_loop)
            left = left or _leaves(item)

    def statement(self, node: YamlNode, *, in_loop: bool) -> None:
        if isinstance(node, YamlMapping):
            self.mapping(node, in_loop=in_loop)
        elif isinstance(node, YamlScalar) and isinstance(node.value, str):
            self.expression(node)
        else:
            message = f"a statement is an expression, an assignment or a block construct, not {kind_of(node)}"
            self.find(node, "MPL:E204", message)

    def mapping(self, node: YamlMapping, *, in_loop: bool) -> None:
        keys = [text_of(key) for key in node]
        opener = next((name for name in _OPENERS if name in keys), None)
        if opener is None and "Do" in keys:
            opener = "Do"
        if opener is not None:
            self.construct(node, _CONSTRUCTS[opener], in_loop=in_loop)
        elif len(node) == 1:
            ((key, value),) = node.items()
            self.assignment(key, value)
        elif len(node) == 0:
            self.find(node, "MPL:E204", "an empty mapping is no statement")
        else:
            first = node.entries[0].key
            meant = next(
                (near(key, _OPENERS) for key in keys if key is not None and near(key, _OPENERS)), None
            )
            hint = f"did you mean {meant!r}?" if meant else "begin each assignment with a dash of its own"
            self.find(first, "MPL:E204", "several keys that form no block construct", hint=hint)

    def construct(self, node: YamlMapping, construct: Construct, *, in_loop: bool) -> None:
        name = construct.required[0]
        present = {text_of(key) for key in node}
        for key in node:
            if text_of(key) not in construct.known:
                message = f"{name} has no keyword {shown(key)}"
                self.body.findings.append(
                    self.report.unknown(key, "MPL:E201", message, construct.known, taken=node, refused=True)
                )
        missing = [keyword for keyword in construct.required if keyword not in present]
        if missing == ["Catch"] and "Finally" in present:
            missing = []  # the engine runs Try with Finally alone, and published packages have it
        if missing:
            self.find(node.entries[0].key, "MPL:E204", f"{name} needs {' and '.join(missing)}")
        getattr(self, f"_{name.lower()}")(node, in_loop=in_loop)

    def _if(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.predicate(node.get("If"))
        self.blocks(node, "Then", "Else", in_loop=in_loop)

    def _while(self, node: YamlMapping, *, in_loop: bool) -> None:
        del in_loop
        self.predicate(node.get("While"))
        self.blocks(node, "Do", in_loop=True)

    def _for(self, node: YamlMapping, *, in_loop: bool) -> None:
        del in_loop
        self.variable(node.get("For"), "For")
        self.value(node.get("In"))
        self.blocks(node, "Do", in_loop=True)

    def _repeat(self, node: YamlMapping, *, in_loop: bool) -> None:
        del in_loop
        self.predicate(node.get("Repeat"))
        self.blocks(node, "Do", in_loop=True)

    def _match(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.value(node.get("Value"))
        self.cases(node, "Match", in_loop=in_loop, on_key=None)
        self.blocks(node, "Default", in_loop=in_loop)

    def _switch(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.cases(node, "Switch", in_loop=in_loop, on_key=self.predicate)
        self.blocks(node, "Default", in_loop=in_loop)

    def _parallel(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.blocks(node, "Parallel", in_loop=in_loop)
        self.predicate(node.get("Limit"))

    def _do(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.blocks(node, "Do", in_loop=in_loop)

    def _try(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.blocks(node, "Try", "Else", "Finally", in_loop=in_loop)
        catch = node.get("Catch")
        if catch is None:
            return
        if is_null(catch):
            # The form of the table in spec 000: With, As and Do beside Try (S-16).
            if node.get("Do") is None:
                self.find(node.entries[0].key, "MPL:E204", "Catch needs Do")
            self.catch(node, in_loop=in_loop)
            return
        for item in catch.items if isinstance(catch, YamlSequence) else (catch,):
            if not isinstance(item, YamlMapping):
                self.find(item, "MPL:E204", f"Catch is a mapping with Do, not {kind_of(item)}")
                continue
            for key in item:
                if text_of(key) not in _EXCEPTION_KEYS:
                    message = f"Catch has no keyword {shown(key)}"
                    self.body.findings.append(
                        self.report.unknown(
                            key, "MPL:E201", message, _EXCEPTION_KEYS, taken=item, refused=True
                        )
                    )
            if item.get("Do") is None:
                place = item.entries[0].key if item.entries else node.entries[0].key
                self.find(place, "MPL:E204", "Catch needs Do")
            self.catch(item, in_loop=in_loop)

    def catch(self, node: YamlMapping, *, in_loop: bool) -> None:
        wanted = node.get("With")
        if wanted is not None and not is_null(wanted):
            for item in wanted.items if isinstance(wanted, YamlSequence) else (wanted,):
                if text_of(item) is None:
                    self.find(item, "MPL:E203", f"With needs the name of an exception, not {kind_of(item)}")
        self.variable(node.get("As"), "As")
        self.blocks(node, "Do", in_loop=in_loop)

    def _throw(self, node: YamlMapping, *, in_loop: bool) -> None:
        del in_loop
        name = node.get("Throw")
        if name is not None:
            names = name.items if isinstance(name, YamlSequence) and len(name) else (name,)
            for item in names:
                if text_of(item) is None:
                    self.find(item, "MPL:E203", f"Throw needs the name of an exception, not {kind_of(item)}")
        for key in ("Throw", "Message", "Extra", "Cause"):
            self.value(node.get(key))

    def _return(self, node: YamlMapping, *, in_loop: bool) -> None:
        del in_loop
        self.value(node.get("Return"))

    def _break(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.leave_loop(node, "Break", in_loop=in_loop)

    def _continue(self, node: YamlMapping, *, in_loop: bool) -> None:
        self.leave_loop(node, "Continue", in_loop=in_loop)

    def _rethrow(self, node: YamlMapping, *, in_loop: bool) -> None:
        del in_loop
        self.no_value(node, "Rethrow")

    def leave_loop(self, node: YamlMapping, keyword: str, *, in_loop: bool) -> None:
        self.no_value(node, keyword)
        entry = node.entry(keyword)
        if entry is not None and not in_loop:
            self.find(
                entry.key,
                "MPL:E205",
                f"{keyword} outside of a loop: there is no While, For or Repeat to leave",
            )

    def no_value(self, node: YamlMapping, keyword: str) -> None:
        entry = node.entry(keyword)
        if entry is not None and not is_null(entry.value):
            self.find(
                entry.key,
                "MPL:E200",
                f"{keyword} takes no value",
                hint=f"write {keyword}: and nothing behind it",
                fix=without_value(self.report, entry),
            )

    def cases(
        self,
        node: YamlMapping,
        keyword: str,
        *,
        in_loop: bool,
        on_key: Callable[[YamlNode | None], None] | None,
    ) -> None:
        cases = node.get(keyword)
        if cases is None:
            return
        if not isinstance(cases, YamlMapping):
            message = f"{keyword} needs a mapping of cases, not {kind_of(cases)}"
            self.find(node.entries[0].key, "MPL:E204", message)
            return
        for key, block in cases.items():
            if on_key is not None:
                on_key(key)
            self.block(block, in_loop=in_loop)

    def blocks(self, node: YamlMapping, *keywords: str, in_loop: bool) -> None:
        for keyword in keywords:
            block = node.get(keyword)
            if block is not None:
                self.block(block, in_loop=in_loop)

    def assignment(self, key: YamlNode, value: YamlNode) -> None:
        self.value(value)
        if isinstance(key, YamlScalar) and isinstance(key.value, str):
            parsed = parse_scalar(self.report, key)
            if isinstance(parsed, ExpressionText) and _is_target(parsed.tree):
                self.body.assignments.append(Assignment(parsed, value))
                return
        known = (*_CONSTRUCTS, *(keyword for one in _CONSTRUCTS.values() for keyword in one.known))
        message = f"{shown(key)} can be neither assigned to nor is it a keyword"
        if text_of(key) in known:
            message = f"{shown(key)} cannot stand alone: it belongs to another keyword"
        finding = self.report.unknown(key, "MPL:E201", message, set(known), refused=True)
        self.body.findings.append(finding)

    def variable(self, node: YamlNode | None, keyword: str) -> None:
        if node is None or (is_null(node) and keyword == "As"):
            return
        name = text_of(node)
        if name is None:
            self.find(node, "MPL:E203", f"{keyword} needs the name of a variable, not {kind_of(node)}")
        else:
            self.body.bound.add(name.removeprefix("$"))

    def predicate(self, node: YamlNode | None) -> None:
        """A condition or a count: a text there is an expression; an empty one and other scalars stand for themselves."""
        if isinstance(node, YamlScalar) and isinstance(node.value, str) and node.value:
            self.expression(node)

    def expression(self, scalar: YamlScalar) -> None:
        parsed = parse_scalar(self.report, scalar)
        if isinstance(parsed, ExpressionText):
            self.body.expressions.append(parsed)
        else:
            self.body.findings.append(unparsable(self.report, scalar, parsed))

    def value(self, node: YamlNode | None) -> None:
        if node is None:
            return
        for found in value_expressions(self.report, node):
            if isinstance(found, ExpressionText):
                self.body.expressions.append(found)
            else:
                self.body.findings.append(found)

    def find(
        self, node: YamlNode, code: str, message: str, *, hint: str | None = None, fix: Fix | None = None
    ) -> None:
        self.body.findings.append(self.report.at(node, code, message, hint=hint, fix=fix))


def _leaves(statement: YamlNode) -> bool:
    return isinstance(statement, YamlMapping) and any(text_of(key) in _LEAVING for key in statement)


def _is_target(node: Node) -> bool:
    """A variable, or a path of properties and indexes that begins with one or, for static properties, with a class."""
    match node:
        case Variable():
            return True
        case Binary(operator=".", left=left, right=Word()) | Index(value=left):
            return _is_path(left)
        case _:
            return False


def _is_path(node: Node) -> bool:
    """What may stand before the written end of a target: calls are read there, as in `$.a.cast(:X).b`."""
    match node:
        case Variable() | Call(name="type"):
            return True
        case _ if type_name(node) is not None:
            return True
        case Binary(operator=".", left=left, right=Word() | Call()) | Index(value=left):
            return _is_path(left)
        case _:
            return False
