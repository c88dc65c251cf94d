"""Checks of names in method code: members of objects whose class is known, functions, resource files, arguments.

Names are reported only where the class of the receiver is inferred with certainty. Inside lambdas `$` may be
an item, so it is unknown unless the function is known to evaluate its argument on the object.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.expressions.yaql.nodes import Binary, Call, Index, Literal, Node, Rule, Unary, Word, child_nodes
from sabir.languages.muranopl.check.class_references import check_class_reference
from sabir.languages.muranopl.check.class_view import PackageClasses
from sabir.languages.muranopl.check.core_library import FUNCTIONS, LAMBDA_FUNCTIONS
from sabir.languages.muranopl.check.facts import (
    CONSTRUCTORS,
    ClassFacts,
    Lineage,
    MethodFacts,
    MethodSignature,
)
from sabir.languages.muranopl.check.inference import (
    ITEM_FUNCTIONS,
    Inference,
    ObjectType,
    resolve_class_argument,
)
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.expressions import ExpressionText, read_dotted_name, type_name
from sabir.languages.muranopl.syntax.names import is_type_reference
from sabir.languages.muranopl.syntax.report import FileReporter, Near
from sabir.text import Span

CALL_ARGUMENTS: Final = package_rule(
    "MPL:E114",
    "a call with the wrong arguments",
    "There are more values than the method has arguments, a required one is missing, or a name is not among them.",
    fixable=True,
)


def check_call(
    report: FileReporter, expression: ExpressionText, call: Call, signature: MethodSignature | None
) -> Iterator[Finding]:
    """Report a call that does not match a signature; every call matches an unknown signature."""
    if signature is None:
        return
    words = [
        argument.source
        for argument in call.arguments
        if isinstance(argument, Rule) and isinstance(argument.source, Word)
    ]
    named = [word.value for word in words]
    positional = sum(not isinstance(argument, Rule) for argument in call.arguments)
    span = expression.span(call)
    if positional > len(signature.standard) and not signature.variable:
        yield report.at(span, CALL_ARGUMENTS, _too_many(call.name, signature, positional))
        return
    unknown = [word for word in words if word.value not in signature.standard and not signature.keywords]
    for word in unknown:
        name = word.value
        hint = report.near(name, signature.standard).hint
        free = {*signature.standard[positional:]}.difference(named)
        fix = report.build_rename_fix(expression.span(word), name, report.near(name, free).only)
        message = f"{call.name} has no argument {name!r}"
        yield report.at(span, CALL_ARGUMENTS, message, hint=hint, fix=fix)
    passed = {*signature.standard[:positional], *named}
    missing = [name for name in signature.standard if name in signature.required and name not in passed]
    if missing and not unknown:
        yield report.at(span, CALL_ARGUMENTS, f"{call.name} needs its argument {', '.join(missing)}")


def check_values(
    report: FileReporter, expression: ExpressionText, call: Call, cls: str, lineage: Lineage
) -> Iterator[Finding]:
    """Report values that `new(X, name => value)` sets on unknown properties: the engine ignores them."""
    names = set(lineage.properties)
    for constructor in CONSTRUCTORS:
        signature = lineage.methods.get(constructor)
        if constructor in lineage.methods and (signature is None or signature.keywords):
            return
        names.update(signature.standard if signature is not None else ())
    for argument in call.arguments:
        if (
            isinstance(argument, Rule)
            and isinstance(argument.source, Word)
            and argument.source.value not in names
        ):
            name, span = argument.source.value, expression.span(argument.source)
            meant = report.near(name, names)
            fix = report.build_rename_fix(span, name, meant.only)
            message = f"{cls} declares no property {name!r}"
            yield report.at(span, CALL_ARGUMENTS, message, hint=meant.hint, fix=fix)


def _too_many(name: str, signature: MethodSignature, positional: int) -> str:
    count = len(signature.standard)
    takes = "no argument" if count == 0 else f"{count} argument{'s' * (count != 1)}"
    here = "here is 1" if positional == 1 else f"here are {positional}"
    return f"{name} takes {takes} ({', '.join(signature.standard)}), {here}".replace(" ()", "")


_RESOURCES: Final = "io.murano.system.Resources"
# Contract functions that published packages also call elsewhere, in code that the engine rarely reaches.
_TOLERATED: Final = frozenset({"string"})
_RESOURCE_CALLS: Final = frozenset({"string", "json", "yaml", "binary"})

UNKNOWN_METHOD: Final = package_rule(
    "MPL:E112",
    "a call of a method that does not exist",
    "Neither the class nor any class it extends has the method, and it is no function of the language.",
    fixable=True,
)
UNKNOWN_PROPERTY: Final = package_rule(
    "MPL:E113",
    "a read of a property that does not exist",
    "The property is neither declared in the class or a class it extends, nor does any method assign it.",
    fixable=True,
)
UNKNOWN_FUNCTION: Final = package_rule(
    "MPL:E115",
    "a call of a function that does not exist",
    "Neither YAQL nor MuranoPL has the function. A method of the object is called on it: $.name().",
    fixable=True,
)
NO_RESOURCE: Final = package_rule(
    "MPL:E116",
    "a resource file that does not exist",
    "Files that the code reads through io.murano.system.Resources lie below Resources/ of the package.",
    fixable=True,
)


class NameChecker:
    """Resolves the names in the methods of a package."""

    def __init__(self, table: PackageClasses, inference: Inference) -> None:
        self.table = table
        self.inference = inference

    def check_method(self, facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
        dollar = self.inference.this_type(facts, method)
        defines = any(_defines_functions(expression.tree) for expression in method.body.expressions)
        for expression in method.body.expressions:
            walker = _Walker(self.table, self.inference, facts, method, expression, not defines)
            yield from walker.walk(expression.tree, dollar)


class _Walker(Struct, frozen=True, eq=False):
    table: PackageClasses
    inference: Inference
    facts: ClassFacts
    method: MethodFacts
    expression: ExpressionText
    functions_are_known: bool
    """False where code defines functions of its own."""

    @property
    def report(self) -> FileReporter:
        return self.facts.report

    def walk(self, node: Node, dollar: ObjectType | None) -> Iterator[Finding]:
        """Walk an expression. `dollar` is the type of a bare `$`: the object itself, or the item inside a
        lambda.
        """
        written = type_name(node)
        if written is not None:
            yield from self._class(node, written)
            return
        match node:
            case Binary(operator=":", right=Unary(operator=":")):
                return  # `OS::Nova::Server` is the name of a Heat type, written without quotes
            case Binary(operator="." | "?.", left=left, right=Call() as call):
                yield from self.walk(left, dollar)
                yield from self._method_call(left, call, dollar)
            case Binary(operator="." | "?.", left=left, right=Word() as word):
                yield from self.walk(left, dollar)
                yield from self._read(left, word, dollar)
            case Call() as call:
                yield from self._function(call)
                yield from self._check_class_name(call)
                yield from self._arguments(call, self._dollar_in(call, dollar))
            case Index(value=value, arguments=arguments):
                yield from self.walk(value, dollar)
                for argument in arguments:  # `$.hosts[$.name = x]` selects items, as `where` does
                    yield from self.walk(argument, None)
            case Binary(operator="->", left=left, right=right):
                yield from self.walk(left, dollar)
                yield from self.walk(right, None)
            case _:
                for child in child_nodes(node):
                    yield from self.walk(child, dollar)

    def _class(self, node: Node, written: str) -> Iterator[Finding]:
        span = self.expression.span(node)
        yield from check_class_reference(self.report, self.table, self.facts.document, span, written)

    def _check_class_name(self, call: Call) -> Iterator[Finding]:
        """Check `new(Name)` and `new('a.b.Name')`, which name their class without a colon."""
        first = call.arguments[0] if call.name == "new" and call.arguments else None
        written = (
            first.value if isinstance(first, (Word, Literal)) else read_dotted_name(first) if first else None
        )
        if first is not None and isinstance(written, str) and is_type_reference(written):
            yield from self._class(first, written)
        if first is not None:
            yield from self._new(resolve_class_argument(self.facts.document, first), call)

    def _new(self, type_: ObjectType | None, call: Call) -> Iterator[Finding]:
        """Check `new(X, name => value)`: the class has such a property, or its constructor such an argument."""
        lineage = None if type_ is None else self.inference.lineage_of(type_.cls)
        if type_ is not None and lineage is not None and lineage.own:
            yield from check_values(self.report, self.expression, call, type_.cls, lineage)

    def _function(self, call: Call) -> Iterator[Finding]:
        name = call.name
        if name in FUNCTIONS or name in _TOLERATED or not self.functions_are_known:
            return
        lineage = self.facts.lineage
        if lineage is not None and name in lineage.methods:
            meant = Near(f"{name} is a method: call it as $.{name}(…)")
        else:
            meant = self.report.near(name, FUNCTIONS)
        span = self.expression.span(call)
        fix = self.report.build_rename_fix(span, name, meant.only)
        message = f"there is no function {name!r}"
        yield self.report.at(span, UNKNOWN_FUNCTION, message, hint=meant.hint, fix=fix)

    # -- members -----------------------------------------------------------------------------------------------------

    def _type_of(self, node: Node, dollar: ObjectType | None) -> ObjectType | None:
        return self.inference.type_of(node, self.facts, self.method, dollar)

    def _lineage(self, receiver: Node, type_: ObjectType | None) -> Lineage | None:
        """Return the members of the object, or of the class, that a call or a read refers to."""
        written = type_name(receiver)
        if written is not None:
            name = self.facts.document.resolve(written)
            return None if name is None else self.inference.lineage_of(name)
        if type_ is None or type_.is_list:
            return None
        if type_ == self.inference.this_type(self.facts, self.method):
            return self.facts.lineage
        return self.inference.lineage_of(type_.cls)

    def _method_call(self, receiver: Node, call: Call, dollar: ObjectType | None) -> Iterator[Finding]:
        type_ = self._type_of(receiver, dollar)
        yield from self._resource(type_, call)
        lineage = self._lineage(receiver, type_)
        inner = self._dollar_in(call, dollar)
        if lineage is not None:
            if call.name in lineage.methods:
                yield from check_call(self.report, self.expression, call, lineage.methods[call.name])
                inner = dollar
            elif call.name not in FUNCTIONS and not self._may_be_extension(call.name):
                yield self._no_method(type_, receiver, call, lineage.methods)
        elif type_ is not None and type_.is_list and call.name in ITEM_FUNCTIONS:
            inner = type_.item
        yield from self._arguments(call, inner)

    def _may_be_extension(self, name: str) -> bool:
        """Tell whether an imported class may define the method as an extension."""
        for reference in self.facts.document.head.imports:
            lineage = None if reference.name is None else self.inference.lineage_of(reference.name)
            if lineage is None or name in lineage.methods:
                return True
        return False

    def _no_method(
        self, type_: ObjectType | None, receiver: Node, call: Call, methods: Collection[str]
    ) -> Finding:
        title = type_.cls if type_ is not None else self.facts.document.resolve(type_name(receiver) or "")
        message = f"{title} has no method {call.name!r}, nor has any class it extends"
        span, meant = self.expression.span(call), self.report.near(call.name, methods)
        fix = self.report.build_rename_fix(span, call.name, meant.only)
        return self.report.at(span, UNKNOWN_METHOD, message, hint=meant.hint, fix=fix)

    def _dollar_in(self, call: Call, dollar: ObjectType | None) -> ObjectType | None:
        """Return the type of `$` in the arguments; unknown for functions that take lambdas and for unknown
        functions.
        """
        return dollar if call.name in FUNCTIONS and call.name not in LAMBDA_FUNCTIONS else None

    def _arguments(self, call: Call, dollar: ObjectType | None) -> Iterator[Finding]:
        for argument in call.arguments:
            yield from self.walk(argument.target if isinstance(argument, Rule) else argument, dollar)

    def _read(self, receiver: Node, word: Word, dollar: ObjectType | None) -> Iterator[Finding]:
        type_ = self._type_of(receiver, dollar)
        lineage = self._lineage(receiver, type_) if type_ is not None else None
        name = word.value
        if type_ is None or lineage is None or lineage.has(name):
            return
        message = f"{type_.cls} has no property {name!r}: it is neither declared nor assigned"
        span, meant = self.expression.span(word), self.report.near(name, lineage.readable)
        fix = self.report.build_rename_fix(span, name, meant.only)
        yield self.report.at(span, UNKNOWN_PROPERTY, message, hint=meant.hint, fix=fix)

    # -- resources ---------------------------------------------------------------------------------------------------

    def _resource(self, receiver: ObjectType | None, call: Call) -> Iterator[Finding]:
        """Report `new(sys:Resources).string('file')` if the package has no such file."""
        package = self.table.view.package
        if package.single_file or call.name not in _RESOURCE_CALLS or receiver != ObjectType(_RESOURCES):
            return
        first = call.arguments[0] if call.arguments else None
        if not isinstance(first, Literal | Word) or not isinstance(first.value, str):
            return
        name = first.value
        if not package.exists(f"Resources/{name}"):
            files = [file.removeprefix("Resources/") for file in package.list("Resources")]
            span, meant = self.expression.span(call), self.report.near(name, files)
            literal = self.expression.span(first)
            quoted = isinstance(first, Literal)
            fix = self.report.build_rename_fix(Span(literal.start + quoted, literal.end), name, meant.only)
            message = f"there is no file {name!r} under Resources/"
            yield self.report.at(span, NO_RESOURCE, message, hint=meant.hint, fix=fix)


def _defines_functions(node: Node) -> bool:
    """Tell whether an expression has `def(name, …)`, which defines a function that is called by its name."""
    return (isinstance(node, Call) and node.name == "def") or any(map(_defines_functions, child_nodes(node)))
