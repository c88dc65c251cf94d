"""Policy files: a list of rules, each a code, a message, the instances it is for, and a condition they must meet.

rules:
  - code: SHOP:E001
    message: the database {name} has no backup
    for: "::*::[.type=tosca.nodes.Database]"
    condition: backup
    hint: set the property backup
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule, parse_code
from sabir.expressions.query import QueryError
from sabir.expressions.query.forms import compile_expression
from sabir.source.packages import PackageFile
from sabir.source.yaml.access import unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlSequence, plain_data, text_of
from sabir.text import Place, Source

__all__ = ["MALFORMED_RULE", "RULE_KEYS", "PolicyRule", "read_rules"]

MALFORMED_RULE: Final = Rule(
    code="E910",
    title="a malformed rule",
    why="A policy file is a mapping with the list rules. A rule has a code with a prefix of its own, a message, the "
    "expression `for` that finds instances, and the expression `condition` that must be true of each of them.",
    examples="sabir.checks",
)

RULE_KEYS: Final = ("code", "message", "for", "condition", "hint", "attribute", "why")


class PolicyRule(Struct, frozen=True, eq=False, kw_only=True):
    code: str
    message: str
    """Fields in braces are attributes of the instance, or name, type, id and owner."""
    wanted: Any
    """The expression that finds the instances the rule is for."""
    condition: Any
    """The expression that must be true of each of them."""
    place: Place
    condition_place: Place
    hint: str | None = None
    attribute: str | None = None
    """The attribute whose place the finding points to; None: that of the instance."""


def read_rules(file: PackageFile) -> tuple[tuple[PolicyRule, ...], tuple[Finding, ...]]:
    """The rules of a policy file that can be used, and what is wrong with the others."""
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
        outcome = list(_rule(file.source, item))
        rules.extend(rule for rule in outcome if isinstance(rule, PolicyRule))
        findings.extend(finding for finding in outcome if isinstance(finding, Finding))
    return tuple(rules), tuple(findings)


def _rule(source: Source, node: YamlNode) -> Iterator[PolicyRule | Finding]:
    if not isinstance(node, YamlMapping):
        yield _malformed_rule(source, node, "a rule is a mapping with code, message, for and condition")
        return
    problems = list(_problems(source, node))
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


def _problems(source: Source, node: YamlMapping) -> Iterator[Finding]:
    for key, name, hint in unknown_keys(node, RULE_KEYS):
        yield _malformed_rule(source, key, f"a rule has no key {name!r}", hint=hint)
    for needed in ("code", "message", "for", "condition"):
        if node.get(needed) is None:
            yield _malformed_rule(source, node, f"a rule needs its {needed}")
    code = node.get("code")
    if code is not None:
        try:
            parts = parse_code(text_of(code) or "")
        except ValueError as error:
            yield _malformed_rule(source, code, str(error))
        else:
            if not parts.prefix:
                hint = "put a prefix of your own before it, as in SHOP:E001"
                yield _malformed_rule(source, code, "codes without a prefix are sabir's own", hint=hint)
    for expression in ("for", "condition"):
        value = node.get(expression)
        if value is not None:
            try:
                compile_expression(plain_data(value))
            except QueryError as error:
                yield error.placed(Place(source, value.span)).finding


def _malformed_rule(source: Source, node: YamlNode, message: str, *, hint: str | None = None) -> Finding:
    return MALFORMED_RULE.at(Place(source, node.span), message, hint=hint)
