"""Custom rules: policy files that are evaluated against the graph of any language.

A policy file is a list of rules. Each has a code, a message, an expression that selects instances, and a condition that they
must meet:

    rules:
      - code: SHOP:E001
        message: the database {name} has no backup
        for: "::*::[.type=tosca.nodes.Database]"
        condition: backup
        hint: set the property backup

Rules are read with their source locations (`read_rules`) and then evaluated against a graph (`run_rules`). Evaluation errors of
a rule are findings of the policy file, so that one broken rule does not stop the others.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding, RelatedLocation
from sabir.diagnostics.rules import Rule, parse_code
from sabir.expressions.query import (
    GraphResource,
    QueryError,
    QueryResource,
    QuerySession,
    evaluate,
    redact_value,
    resources_of,
)
from sabir.expressions.query.forms import compile_expression
from sabir.graph.graph import Graph, Instance
from sabir.session import Session as WorkSession
from sabir.source.packages import PackageFile
from sabir.source.yaml.access import find_unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlSequence, plain_data, text_of
from sabir.text import EMPTY_SPAN, Location, Place, Source

MALFORMED_RULE: Final = Rule(
    code="E910",
    title="a malformed rule",
    why="A policy file is a mapping with the list rules. A rule has a code with a prefix of its own, a message, the "
    "expression `for` that finds instances, and the expression `condition` that must be true of each of them.",
    examples="sabir.checks",
)

RULE_KEYS: Final = ("code", "message", "for", "condition", "hint", "attribute", "why")


class PolicyRule(Struct, frozen=True, eq=False, kw_only=True):
    """One valid rule of a policy file, with the locations that findings refer to."""

    code: str
    message: str
    """The message template. Fields in braces are attributes of the instance, or name, type, id and owner."""
    wanted: Any
    """The expression that selects the instances to check."""
    condition: Any
    """The expression that must be true for each of them."""
    place: Place
    condition_place: Place
    hint: str | None = None
    attribute: str | None = None
    """The attribute whose location the finding points to; None for the location of the instance."""


def read_rules(file: PackageFile) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """Return the valid rules of a policy file, and the findings about the invalid ones."""
    findings = [*file.yaml.findings]
    if file.yaml.broken:
        return (), tuple(findings)
    first = file.yaml.documents[0] if file.yaml.documents else None
    listed = first.get("rules") if isinstance(first, YamlMapping) else None
    if not isinstance(listed, YamlSequence):
        message = "a policy file is a mapping with the key rules, a list"
        return (), (*findings, MALFORMED_RULE.about_file(file.source, message))
    rules: list[PolicyRule] = []
    for item in listed.items:
        outcome = list(_parse_rule(file.source, item))
        rules.extend(rule for rule in outcome if isinstance(rule, PolicyRule))
        findings.extend(finding for finding in outcome if isinstance(finding, Finding))
    return tuple(rules), tuple(findings)


def _parse_rule(source: Source, node: YamlNode) -> Iterator[PolicyRule | Finding]:
    if not isinstance(node, YamlMapping):
        yield _report_malformed(source, node, "a rule is a mapping with code, message, for and condition")
        return
    problems = list(_check_rule(source, node))
    yield from problems
    wanted, condition = node.get("for"), node.get("condition")
    if problems or wanted is None or condition is None:
        return
    yield PolicyRule(
        code=text_of(node.get("code")) or "",
        message=text_of(node.get("message")) or "",
        wanted=plain_data(wanted),
        condition=plain_data(condition),
        place=Place(source, node.span),
        condition_place=Place(source, condition.span),
        hint=text_of(node.get("hint")),
        attribute=text_of(node.get("attribute")),
    )


def _check_rule(source: Source, node: YamlMapping) -> Iterator[Finding]:
    for key, name, hint in find_unknown_keys(node, RULE_KEYS):
        yield _report_malformed(source, key, f"a rule has no key {name!r}", hint=hint)
    for needed in ("code", "message", "for", "condition"):
        if node.get(needed) is None:
            yield _report_malformed(source, node, f"a rule needs its {needed}")
    code = node.get("code")
    if code is not None:
        try:
            parts = parse_code(text_of(code) or "")
        except ValueError as error:
            yield _report_malformed(source, code, str(error))
        else:
            if not parts.prefix:
                hint = "put a prefix of your own before it, as in SHOP:E001"
                yield _report_malformed(source, code, "codes without a prefix are sabir's own", hint=hint)
    for expression in ("for", "condition"):
        value = node.get(expression)
        if value is not None:
            try:
                compile_expression(plain_data(value))
            except QueryError as error:
                yield error.with_location(Place(source, value.span)).finding


def _report_malformed(source: Source, node: YamlNode, message: str, *, hint: str | None = None) -> Finding:
    return MALFORMED_RULE.at(Place(source, node.span), message, hint=hint)


def run_rules(rules: Iterable[PolicyRule], graph: Graph, work: WorkSession) -> Iterator[Finding]:
    """Yield a finding for every instance that violates a rule.

    It points to the location that defines the instance, or the attribute that the rule names.
    """
    root = resources_of(graph, QuerySession(work=work))
    for rule in rules:
        try:
            wanted = [
                value for value in evaluate(rule.wanted, root).values if isinstance(value, QueryResource)
            ]
        except QueryError as error:
            yield error.with_location(rule.place).finding
            continue
        yield from _check_resources(rule, wanted)


def _check_resources(rule: PolicyRule, wanted: Iterable[QueryResource]) -> Iterator[Finding]:
    for resource in wanted:
        try:
            holds = _is_true(evaluate(rule.condition, resource).value)
        except QueryError as error:
            yield error.with_location(rule.condition_place).finding
            return
        if not holds:
            yield _build_violation(rule, resource)


def _is_true(value: Any) -> bool:
    return bool(getattr(value, "value", value)) if not isinstance(value, QueryResource) else True


def _build_violation(rule: PolicyRule, resource: QueryResource) -> Finding:
    instance = resource.instance if isinstance(resource, GraphResource) else None
    place, whole = _violation_place(rule, instance)
    return Finding(
        code=rule.code,
        message=_format_message(rule.message, resource),
        place=place,
        whole_file=whole,
        hint=rule.hint,
        related=(RelatedLocation(place=rule.place, message=f"the rule {rule.code}"),),
    )


def _violation_place(rule: PolicyRule, instance: Instance | None) -> tuple[Place, bool]:
    """Return the location of a finding: the rule's attribute, the instance, or the rule itself."""
    origin = None
    if instance is not None:
        origin = (instance.origins.get(rule.attribute) if rule.attribute else None) or instance.origin
    if origin is None:
        return rule.place, False
    if isinstance(origin.place, Location):
        # A saved graph has no source texts; a blank source of the right size keeps line and column correct.
        text = "\n" * (origin.place.line - 1) + " " * (origin.place.column - 1)
        source = Source(origin.place.file, text)
        return Place(source, EMPTY_SPAN.shift(len(text))), False
    return origin.place, False


def _format_message(message: str, resource: QueryResource) -> str:
    def value(match: re.Match[str]) -> str:
        name = match[1].strip()
        if name in ("name", "type", "id"):
            return str(getattr(resource, name))
        if name == "owner":
            return resource.parent.name if resource.parent is not None else ""
        answer = evaluate(name, resource).value if name else None
        return str(redact_value(answer))

    try:
        return re.sub(r"\{([^{}]*)\}", value, message)
    except QueryError:
        return message
