"""Checks of the properties, methods and arguments of a class (spec 001, "Class properties", "Class methods").

The reader of the language checks the form of declarations. The checks here depend on more than the form:
whether an engine of the declared package format supports a declaration, and whether code assigns to a
property that is an input or that nothing declares or reads.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.languages.muranopl.check.facts import ClassFacts, MethodFacts, own_property
from sabir.languages.muranopl.check.names import Version
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.members import METHOD_USAGE, SCOPE_OR_NAMESPACES
from sabir.languages.muranopl.syntax.nodes import ArgumentNode, MethodNode, PropertyNode
from sabir.languages.muranopl.syntax.report import FileReporter
from sabir.text import EMPTY_SPAN, Place, Span

_PROPERTY_USAGES: Final[dict[str, Version]] = {"Config": (1, 1), "Static": (1, 2)}
_METHOD_USAGES: Final[dict[str, Version]] = {"Static": (1, 3), "Extension": (1, 3)}
_WITH_ARGUMENT_USAGE: Final[Version] = (1, 4)
_WITH_SCOPE: Final[Version] = (1, 4)
_ACTION_DEPRECATED: Final[Version] = (1, 4)


NEW_PROPERTY_USAGE: Final = package_rule(
    "MPL:W043",
    "a Usage of a property newer than the format",
    "Config came with format 1.1, Static with 1.2. An engine of the declared format does not know it.",
)
EARLY_ARGUMENT_USAGE: Final = package_rule(
    "MPL:E052",
    "Usage of an argument before format 1.4",
    "VarArgs and KwArgs came with format 1.4.",
)


def check_properties(
    report: FileReporter, properties: tuple[PropertyNode, ...], version: Version
) -> Iterator[Finding]:
    """Report property declarations that need a newer format than `version`, the format of the package."""
    for declared in properties:
        since = _PROPERTY_USAGES.get(declared.usage)
        if since is not None and version < since:
            message = f"Usage {declared.usage} came with format {_format_version(since)}"
            yield report.at(declared.usage_span, NEW_PROPERTY_USAGE, message, hint=_suggest_format(since))


def check_methods(
    report: FileReporter, methods: tuple[MethodNode, ...], version: Version
) -> Iterator[Finding]:
    """Report method declarations that need a newer format than `version`, the format of the package.

    That concerns `Scope`, the `Usage` of the method, and the `Usage` of its arguments.
    """
    for method in methods:
        if method.scope is not None and version < _WITH_SCOPE:
            message, hint = (
                f"Scope came with format {_format_version(_WITH_SCOPE)}",
                _suggest_format(_WITH_SCOPE),
            )
            yield report.at(method.scope_span, SCOPE_OR_NAMESPACES, message, hint=hint)
        yield from _check_usage(report, method, version)
        for argument in method.arguments:
            yield from _check_argument(report, argument, version)


def _check_usage(report: FileReporter, method: MethodNode, version: Version) -> Iterator[Finding]:
    since = _METHOD_USAGES.get(method.usage)
    if since is not None and version < since:
        message = f"Usage {method.usage} came with format {_format_version(since)}"
        yield report.at(method.usage_span, METHOD_USAGE, message, hint=_suggest_format(since))
    elif method.usage == "Action" and version >= _ACTION_DEPRECATED:
        message = "Usage Action is deprecated since format 1.4"
        hint = "write Scope: Public instead"
        fix = _public_scope(report, method)
        yield report.at(method.usage_span, METHOD_USAGE, message, hint=hint, fix=fix)


def _public_scope(report: FileReporter, method: MethodNode) -> Fix | None:
    """Build the fix that replaces `Usage: Action` by `Scope: Public`; None if the method has a Scope already."""
    entry = method.node.entry("Usage") if method.node is not None else None
    if method.node is None or entry is None or method.node.entry("Scope") is not None:
        return None
    edits = (
        Edit(place=Place(report.source, entry.key.span), text="Scope"),
        Edit(place=Place(report.source, method.usage_span), text="Public"),
    )
    return Fix(title="write Scope: Public", edits=edits)


def _check_argument(report: FileReporter, argument: ArgumentNode, version: Version) -> Iterator[Finding]:
    if argument.usage_span is not EMPTY_SPAN and version < _WITH_ARGUMENT_USAGE:
        message = f"Usage of an argument came with format {_format_version(_WITH_ARGUMENT_USAGE)}"
        yield report.at(
            argument.usage_span, EARLY_ARGUMENT_USAGE, message, hint=_suggest_format(_WITH_ARGUMENT_USAGE)
        )


def _format_version(version: Version) -> str:
    return ".".join(map(str, version))


def _suggest_format(since: Version) -> str:
    return f"write Format: MuranoPL/{_format_version(since)} in the manifest, or do without"


_READ_ONLY: Final = frozenset({"In", "Const"})

INPUT_ASSIGNED: Final = package_rule(
    "MPL:W209",
    "an assignment to an input",
    "Properties with Usage In or Const belong to whoever made the object; the engine refuses the write, except "
    "while .init makes the object.",
)


LOST_ASSIGNMENT: Final = package_rule(
    "MPL:W210",
    "an assignment to a property that nobody declares or reads",
    "Code may assign properties that are not declared; they are private to the class. One that nothing reads, with a name close "
    "to that of a declared property, is most often a slip of the pen, and the declared one keeps its old value.",
    fixable=True,
)


def check_lost(facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
    """Report assignments to undeclared properties that look like a misspelled declared one."""
    lineage = facts.lineage
    if lineage is None:
        return
    for assignment in method.body.assignments:
        name = own_property(assignment.target.tree)
        if name is None or lineage.has_declared(name) or name in lineage.read:
            continue
        meant = facts.report.near(name, lineage.properties)
        if meant.hint is None:
            continue
        span = assignment.target.span()
        at = span.start + facts.report.source.text[span.start : span.end].rfind(name)
        fix = facts.report.build_rename_fix(Span(at, at + len(name)), name, meant.only)
        message = f"property {name!r} is assigned, but nothing declares or reads it"
        yield facts.report.at(span, LOST_ASSIGNMENT, message, hint=meant.hint, fix=fix)


def check_writes(facts: ClassFacts, method: MethodFacts) -> Iterator[Finding]:
    """Report assignments to input properties. Constructors may assign them, as in the original engine."""
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
