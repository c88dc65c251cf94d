"""Names against the package, its own classes and the core library: prefixes, classes, members, arguments, files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, Fix
from sabir.expressions.yaql.nodes import (
    Binary,
    Call,
    Index,
    Literal,
    Node,
    Rule,
    Unary,
    Variable,
    Word,
    children,
)
from sabir.languages.muranopl.check.class_view import ClassDocument, ClassTable
from sabir.languages.muranopl.check.facts import ClassFacts, Lineage, MethodFacts, Signature, own_property
from sabir.languages.muranopl.check.repairs import declaring
from sabir.languages.muranopl.check.yaql_names import FUNCTIONS, LAMBDA_FUNCTIONS
from sabir.languages.muranopl.examples.packages import LIBRARY, package_rule, with_body, with_class
from sabir.languages.muranopl.syntax.expressions import ExpressionText, dotted, type_name
from sabir.languages.muranopl.syntax.names import is_type_reference
from sabir.languages.muranopl.syntax.report import Report
from sabir.text import Span

__all__ = ["check_class_reference", "check_expression", "check_writes"]

_RESOURCE_CALLS: Final = frozenset({"string", "json", "yaml", "binary"})
_READ_ONLY: Final = frozenset({"In", "Const"})

_RESOURCE_CLASS: Final = """\
Namespaces:
  =: com.example.tools
  sys: io.murano.system

Name: Counter

Methods:
  script:
    Body:
      - $resources: new(sys:Resources)
      - Return: $resources.string('run.sh')
"""
UNDECLARED_PREFIX: Final = package_rule(
    "MPL:E110",
    "an undeclared namespace prefix",
    "Every prefix is declared under Namespaces of the class file.",
    with_class("Extends: std:Object", "Extends: sdt:Object"),
    fixable=True,
)
UNKNOWN_CLASS: Final = package_rule(
    "MPL:E111",
    "a class that does not exist",
    "The class belongs to a namespace of this package or of the core library, but neither has it. Classes of other "
    "packages are not reported here.",
    with_class("Extends: std:Object", "Extends: std:Objekt"),
    fixable=True,
)
UNKNOWN_METHOD: Final = package_rule(
    "MPL:E112",
    "a call of a method that does not exist",
    "Neither the class nor any class it extends has the method, and it is no function of the language.",
    with_class("$.next(1)", "$.nxet(1)"),
    fixable=True,
)
UNKNOWN_PROPERTY: Final = package_rule(
    "MPL:E113",
    "a read of a property that does not exist",
    "The property is neither declared in the class or a class it extends, nor does any method assign it.",
    with_class("$.start + $step", "$.strat + $step"),
    fixable=True,
)
CALL_ARGUMENTS: Final = package_rule(
    "MPL:E114",
    "a call with the wrong arguments",
    "There are more values than the method has arguments, a required one is missing, or a name is not among them.",
    with_class("step => 1", "setp => 1"),
    fixable=True,
)
NO_RESOURCE: Final = package_rule(
    "MPL:E116",
    "a resource file that does not exist",
    "Files that the code reads through io.murano.system.Resources lie below Resources/ of the package.",
    {**LIBRARY, "Classes/Counter.yaml": _RESOURCE_CLASS, "Resources/rnu.sh": "true\n"},
    good={**LIBRARY, "Classes/Counter.yaml": _RESOURCE_CLASS, "Resources/run.sh": "true\n"},
    fixable=True,
)
INPUT_ASSIGNED: Final = package_rule(
    "MPL:W209",
    "an assignment to an input",
    "Properties with Usage In or Const belong to whoever made the object; the engine refuses the write, except "
    "while .init makes the object.",
    with_body("- $.start: $first", "- Return: $first"),
)


def check_class_reference(
    report: Report, table: ClassTable, document: ClassDocument, span: Span, written: str
) -> Iterator[Finding]:
    """A class reference: its prefix is declared, and the class exists as far as that can be known."""
    name = document.resolve(written)
    if name is None:
        prefix = written.partition(":")[0]
        meant = report.near(prefix, document.namespaces)
        hint = meant.hint or "declare it under Namespaces"
        fix = report.renaming(span, prefix, meant.only) or declaring(
            report, document.node.get("Namespaces"), prefix, written.partition(":")[2]
        )
        message = f"the namespace prefix {prefix!r} of {written!r} is not declared"
        yield report.at(span, UNDECLARED_PREFIX, message, hint=hint, fix=fix)
    elif table.exists(name) is False:
        other = table.near_class(name)
        did = f"did you mean {other!r}?" if other else None
        yield report.at(
            span,
            UNKNOWN_CLASS,
            f"there is no class {name!r}",
            hint=did,
            fix=_respelt(report, span, name, other),
        )


def _respelt(report: Report, span: Span, name: str, meant: str | None) -> Fix | None:
    """Another last part of a class name, when the class that was meant is of the same namespace."""
    if meant is None or meant.rpartition(".")[0] != name.rpartition(".")[0]:
        return None
    last = name.rpartition(".")[2]
    start = report.source.text.rfind(last, span.start, span.end)
    return report.renaming(Span(start, span.end), last, meant.rpartition(".")[2]) if start >= 0 else None


def check_expression(
    table: ClassTable, facts: ClassFacts, expression: ExpressionText, *, this_is_object: bool
) -> Iterator[Finding]:
    """Names in one expression of a method."""
    walker = _Walker(facts.report, table, facts, expression)
    yield from walker.walk(expression.tree, this=this_is_object)


class _Walker(Struct, frozen=True, eq=False):
    report: Report
    table: ClassTable
    facts: ClassFacts
    expression: ExpressionText

    @property
    def document(self) -> ClassDocument:
        return self.facts.document

    @property
    def lineage(self) -> Lineage | None:
        return self.facts.lineage

    def walk(self, node: Node, *, this: bool) -> Iterator[Finding]:
        """`this` tells whether a bare `$` is the object itself; inside a lambda it is the item."""
        written = type_name(node)
        if written is not None:
            yield from check_class_reference(
                self.report, self.table, self.document, self.expression.span(node), written
            )
            return
        match node:
            case Binary(operator=":", right=Unary(operator=":")):
                return  # `OS::Nova::Server` is the name of a Heat type, written without quotes
            case Binary(operator="." | "?.", left=left, right=Call() as call):
                yield from self.walk(left, this=this)
                yield from self._call(left, call, this=this)
            case Binary(operator="." | "?.", left=left, right=Word() as word):
                yield from self.walk(left, this=this)
                if self._is_this(left, this=this):
                    yield from self._read(word)
            case Call() as call:
                yield from self._named_class(call)
                yield from self._arguments(call, this=this)
            case Index(value=value, arguments=arguments):
                yield from self.walk(value, this=this)
                for argument in arguments:  # `$.hosts[$.name = x]` chooses items, as `where` does
                    yield from self.walk(argument, this=False)
            case Binary(operator="->", left=left, right=right):
                yield from self.walk(left, this=this)
                yield from self.walk(right, this=False)
            case _:
                for child in children(node):
                    yield from self.walk(child, this=this)

    def _named_class(self, call: Call) -> Iterator[Finding]:
        """`new(Name)` and `new('a.b.Name')`, which name their class without a colon."""
        first = call.arguments[0] if call.name == "new" and call.arguments else None
        written = first.value if isinstance(first, (Word, Literal)) else dotted(first) if first else None
        if first is not None and isinstance(written, str) and is_type_reference(written):
            span = self.expression.span(first)
            yield from check_class_reference(self.report, self.table, self.document, span, written)

    def _is_this(self, node: Node, *, this: bool) -> bool:
        return isinstance(node, Variable) and (node.name == "this" or (node.name == "" and this))

    def _call(self, receiver: Node, call: Call, *, this: bool) -> Iterator[Finding]:
        yield from self._resource(receiver, call)
        on_this = self._is_this(receiver, this=this)
        if on_this and self.lineage is not None:
            methods = self.lineage.methods
            if call.name in methods:
                yield from self._fits(call, methods[call.name])
            elif call.name not in FUNCTIONS:
                name = call.name
                meant = self.report.near(name, methods)
                message = f"{self.document.title} has no method {name!r}, nor has any class it extends"
                span = self.expression.span(call)
                fix = self.report.renaming(span, name, meant.only)
                yield self.report.at(span, UNKNOWN_METHOD, message, hint=meant.hint, fix=fix)
        declared = on_this and self.lineage is not None and call.name in self.lineage.methods
        yield from self._arguments(call, this=this, plain=declared)

    def _arguments(self, call: Call, *, this: bool, plain: bool = False) -> Iterator[Finding]:
        """Arguments; of a function that takes lambdas, or that is not known, `$` may be something else."""
        inside = this and (plain or (call.name in FUNCTIONS and call.name not in LAMBDA_FUNCTIONS))
        for argument in call.arguments:
            target = argument.target if isinstance(argument, Rule) else argument
            yield from self.walk(target, this=inside)

    def _fits(self, call: Call, signature: Signature | None) -> Iterator[Finding]:
        if signature is None:
            return
        words = [
            argument.source
            for argument in call.arguments
            if isinstance(argument, Rule) and isinstance(argument.source, Word)
        ]
        named = [word.value for word in words]
        positional = sum(not isinstance(argument, Rule) for argument in call.arguments)
        span = self.expression.span(call)
        if positional > len(signature.standard) and not signature.variable:
            count = len(signature.standard)
            takes = "no argument" if count == 0 else f"{count} argument{'s' * (count != 1)}"
            here = "here is 1" if positional == 1 else f"here are {positional}"
            message = f"{call.name} takes {takes} ({', '.join(signature.standard)}), {here}"
            yield self.report.at(span, CALL_ARGUMENTS, message.replace(" ()", ""))
            return
        unknown = [word for word in words if word.value not in signature.standard and not signature.keywords]
        for word in unknown:
            name = word.value
            hint = self.report.near(name, signature.standard).hint
            free = {*signature.standard[positional:]}.difference(named)
            fix = self.report.renaming(self.expression.span(word), name, self.report.near(name, free).only)
            message = f"{call.name} has no argument {name!r}"
            yield self.report.at(span, CALL_ARGUMENTS, message, hint=hint, fix=fix)
        passed = {*signature.standard[:positional], *named}
        missing = [name for name in signature.standard if name in signature.required and name not in passed]
        if missing and not unknown:
            yield self.report.at(span, CALL_ARGUMENTS, f"{call.name} needs its argument {', '.join(missing)}")

    def _read(self, word: Word) -> Iterator[Finding]:
        if self.lineage is None:
            return
        name = word.value
        if name in self.lineage.properties or name in self.lineage.assigned or name in self.lineage.methods:
            return
        declared = {*self.lineage.properties, *self.lineage.assigned}
        message = f"{self.document.title} has no property {name!r}: it is neither declared nor assigned"
        span, meant = self.expression.span(word), self.report.near(name, declared)
        fix = self.report.renaming(span, name, meant.only)
        yield self.report.at(span, UNKNOWN_PROPERTY, message, hint=meant.hint, fix=fix)

    def _resource(self, receiver: Node, call: Call) -> Iterator[Finding]:
        """`new(sys:Resources).string('file')`: the file must be there."""
        package = self.table.view.package
        if package.single_file or call.name not in _RESOURCE_CALLS or not self._is_resources(receiver):
            return
        first = call.arguments[0] if call.arguments else None
        name = first.value if isinstance(first, (Literal, Word)) else None
        if isinstance(name, str) and not package.exists(f"Resources/{name}"):
            files = [file.removeprefix("Resources/") for file in package.list("Resources")]
            message = f"there is no file {name!r} under Resources/"
            span, meant = self.expression.span(call), self.report.near(name, files)
            fix = self._renamed_literal(first, name, meant.only)
            yield self.report.at(span, NO_RESOURCE, message, hint=meant.hint, fix=fix)

    def _renamed_literal(self, node: Node | None, old: str, new: str | None) -> Fix | None:
        if node is None or self.expression.offset is None:
            return None
        span = self.expression.span(node)
        quoted = isinstance(node, Literal)
        return self.report.renaming(Span(span.start + quoted, span.end), old, new)

    def _is_resources(self, node: Node) -> bool:
        name = own_property(node)
        if name is not None:
            return f".{name}" in self.facts.resources
        if isinstance(node, Variable):
            return node.name in self.facts.resources
        return self.facts.is_new_resources(node)


def check_writes(facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
    """Assignments to properties that are inputs; while an object is made, the engine lets its code set them."""
    lineage = facts.lineage or facts.alone
    if method.name in lineage.constructing:
        return
    for assignment in method.body.assignments:
        name = own_property(assignment.target.tree)
        usage = lineage.properties.get(name) if name is not None else None
        if usage in _READ_ONLY:
            hint = "declare it as InOut or Runtime if the code has to change it"
            message = f"property {name!r} has Usage {usage}: code cannot assign to it"
            yield facts.report.at(assignment.target.span(), INPUT_ASSIGNED, message, hint=hint)
