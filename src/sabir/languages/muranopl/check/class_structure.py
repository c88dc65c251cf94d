"""How classes and namespaces are called (spec 001, "Class structure"): recommendations, since their form is the reader's."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.check.names import is_camel_case, is_lower_camel
from sabir.languages.muranopl.examples.packages import package_rule
from sabir.languages.muranopl.syntax.heads import ClassHead
from sabir.languages.muranopl.syntax.nodes import NameNode
from sabir.languages.muranopl.syntax.report import Report

__all__ = ["check_class_name", "check_namespace"]

CLASS_NAME_STYLE: Final = package_rule(
    "MPL:W011",
    "a class name that is not CamelCase",
    "Readers tell classes from properties and methods by their capitals.",
)
NAMESPACE_STYLE: Final = package_rule(
    "MPL:W061",
    "a namespace that is not in lowerCamelCase",
    "The document recommends small letters at the beginning of every part.",
    off_by_default=True,
)
SHORT_NAMESPACE: Final = package_rule(
    "MPL:W062",
    "a namespace of a single part",
    "A namespace that begins with a domain of its author does not meet that of somebody else.",
    off_by_default=True,
)


def check_class_name(report: Report, head: ClassHead) -> Iterator[Finding]:
    last = (head.written_name or "").removeprefix("=").removeprefix(":").rpartition(".")[2]
    if head.is_well_named and head.written_name is not None and not is_camel_case(last):
        better = "".join(part[:1].upper() + part[1:] for part in last.split("_"))
        hint = f"call it {better!r}" if is_camel_case(better) else "capitals begin the words, no underscores"
        yield report.at(head.span, CLASS_NAME_STYLE, f"the class name {last!r} is not CamelCase", hint=hint)


def check_namespace(report: Report, prefix: str, namespace: NameNode) -> Iterator[Finding]:
    """Hints that are off by default."""
    name = namespace.text
    if not is_lower_camel(name):
        hint = "begin every part with a small letter"
        message = f"the namespace {name!r} is not in lowerCamelCase"
        yield report.at(namespace.span, NAMESPACE_STYLE, message, hint=hint)
    if prefix == "=" and "." not in name:
        hint = "begin it with a domain of your own, as in com.example.web"
        yield report.at(
            namespace.span, SHORT_NAMESPACE, f"the namespace {name!r} has a single part", hint=hint
        )
