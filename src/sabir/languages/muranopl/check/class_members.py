"""Properties, methods and arguments of a class (spec 001, "Class properties", "Class methods")."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.finding import Edit, Finding, Fix
from sabir.languages.muranopl.check import repairs
from sabir.languages.muranopl.check.names import Version, is_identifier, is_method_name
from sabir.languages.muranopl.syntax.report import Report, kind_of, shown
from sabir.languages.muranopl.syntax.shapes import is_null, meta_shape, one_of, unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place

__all__ = ["PROPERTY_KEYS", "check_methods", "check_properties"]

PROPERTY_KEYS: Final = frozenset({"Contract", "Usage", "Default", "Meta"})
_PROPERTY_USAGES: Final[dict[str, Version]] = {
    "In": (1, 0),
    "Out": (1, 0),
    "InOut": (1, 0),
    "Const": (1, 0),
    "Runtime": (1, 0),
    "Config": (1, 1),
    "Static": (1, 2),
}
_METHOD_KEYS: Final = frozenset({"Scope", "Arguments", "Body", "Usage", "Meta"})
_METHOD_USAGES: Final[dict[str, Version]] = {
    "Runtime": (1, 0),
    "Action": (1, 0),
    "Static": (1, 3),
    "Extension": (1, 3),
}
_SCOPES: Final = ("Public", "Session")
_ARGUMENT_KEYS: Final = frozenset({"Contract", "Default", "Usage", "Meta"})
_ARGUMENT_USAGES: Final = ("Standard", "VarArgs", "KwArgs")
_WITH_ARGUMENT_USAGE: Final[Version] = (1, 4)
_WITH_SCOPE: Final[Version] = (1, 4)
_ACTION_DEPRECATED: Final[Version] = (1, 4)


def check_properties(report: Report, section: YamlNode | None, version: Version | None) -> Iterator[Finding]:
    """`version` is the format of the package; None for a file that is checked alone."""
    if not isinstance(section, YamlMapping):
        return
    for key, value in section.items():
        if not isinstance(value, YamlMapping):
            message = f"property {shown(key)} must be a mapping with a Contract, not {kind_of(value)}"
            yield report.at(key, "MPL:E047", message)
            continue
        yield from unknown_keys(report, value, PROPERTY_KEYS, code="E021", what=f"property {shown(key)}")
        contract = value.get("Contract")
        if contract is None or is_null(contract):
            hint = "add a Contract; Contract: $ takes any value"
            fix = repairs.with_contract(report, value)
            yield report.at(key, "MPL:E047", f"property {shown(key)} has no Contract", hint=hint, fix=fix)
        usage = value.get("Usage")
        yield from one_of(report, usage, _PROPERTY_USAGES, code="MPL:E042", what="Usage of a property")
        name = text_of(usage)
        since = _PROPERTY_USAGES.get(name) if name is not None else None
        if usage is not None and version is not None and since is not None and version < since:
            yield report.at(
                usage, "MPL:W043", f"Usage {name} came with format {_dotted(since)}", hint=_raise(since)
            )
        yield from meta_shape(report, value, code="MPL:E049")


def check_methods(report: Report, section: YamlNode | None, version: Version | None) -> Iterator[Finding]:
    if section is None or is_null(section):
        return
    if not isinstance(section, YamlMapping):
        yield report.at(section, "MPL:E046", f"Methods must be a mapping of names, not {kind_of(section)}")
        return
    for key, value in section.items():
        name = text_of(key)
        if name is None or not is_method_name(name):
            yield report.at(key, "MPL:E054", f"a method cannot be called {shown(key)}")
        if isinstance(value, YamlMapping):
            yield from _check_method(report, key, value, version)
        elif not is_null(value):
            hint = "write its code below Body"
            message = f"method {shown(key)} must be a mapping with a Body, not {kind_of(value)}"
            yield report.at(value, "MPL:E046", message, hint=hint)


def _check_method(
    report: Report, name: YamlNode, method: YamlMapping, version: Version | None
) -> Iterator[Finding]:
    yield from unknown_keys(report, method, _METHOD_KEYS, code="E021", what=f"method {shown(name)}")
    scope = method.get("Scope")
    if scope is None or is_null(scope):
        pass
    elif text_of(scope) not in _SCOPES:
        yield report.unknown(scope, "MPL:E044", f"Scope cannot be {shown(scope)}", _SCOPES, refused=True)
    elif version is not None and version < _WITH_SCOPE:
        hint = _raise(_WITH_SCOPE)
        yield report.at(scope, "MPL:E044", f"Scope came with format {_dotted(_WITH_SCOPE)}", hint=hint)
    yield from _check_method_usage(report, method, version)
    yield from meta_shape(report, method, code="MPL:E049")
    yield from check_arguments(report, method.get("Arguments"), version)
    body = method.get("Body")
    if isinstance(body, YamlScalar) and body.value is not None and not isinstance(body.value, str):
        message = (
            f"the Body of {shown(name)} must be code: an expression, a block or a list, not {kind_of(body)}"
        )
        yield report.at(body, "MPL:E045", message)


def _check_method_usage(report: Report, method: YamlMapping, version: Version | None) -> Iterator[Finding]:
    entry = method.entry("Usage")
    usage = method.get("Usage")
    if entry is None or usage is None or is_null(usage):
        return
    name = text_of(usage)
    since = _METHOD_USAGES.get(name) if name is not None else None
    if since is None:
        yield report.unknown(
            usage,
            "MPL:W045",
            f"Usage of a method cannot be {shown(usage)}",
            _METHOD_USAGES,
            refused=True,
        )
    elif version is not None and version < since:
        yield report.at(
            usage, "MPL:W045", f"Usage {name} came with format {_dotted(since)}", hint=_raise(since)
        )
    elif name == "Action" and version is not None and version >= _ACTION_DEPRECATED:
        hint, fix = "write Scope: Public instead", None
        if method.get("Scope") is None:
            edits = (
                Edit(place=Place(report.source, entry.key.span), text="Scope"),
                Edit(place=Place(report.source, usage.span), text="Public"),
            )
            fix = Fix(title="write Scope: Public", edits=edits)
        message = "Usage Action is deprecated since format 1.4"
        yield report.at(usage, "MPL:W045", message, hint=hint, fix=fix)


def check_arguments(report: Report, arguments: YamlNode | None, version: Version | None) -> Iterator[Finding]:
    if arguments is None or is_null(arguments):
        return
    if isinstance(arguments, YamlMapping):
        if len(arguments) > 1:
            hint = "write a list with one argument an item; a mapping has no order"
            message = "Arguments is one mapping with several keys"
            yield report.at(arguments, "MPL:E048", message, hint=hint, fix=repairs.as_list(report, arguments))
            return
        yield from _check_argument(report, arguments, version)
        return
    if not isinstance(arguments, YamlSequence):
        yield report.at(arguments, "MPL:E046", f"Arguments must be a list, not {kind_of(arguments)}")
        return
    for item in arguments.items:
        yield from _check_argument(report, item, version)


def _check_argument(report: Report, item: YamlNode, version: Version | None) -> Iterator[Finding]:
    if not isinstance(item, YamlMapping) or len(item) != 1:
        what = f"a mapping of {len(item)} names" if isinstance(item, YamlMapping) else kind_of(item)
        yield report.at(item, "MPL:E046", f"an argument is one name with its declaration, not {what}")
        return
    ((key, value),) = item.items()
    name = text_of(key)
    if name is None or not is_identifier(name):
        yield report.at(key, "MPL:E054", f"an argument cannot be called {shown(key)}")
    if not isinstance(value, YamlMapping):
        if not is_null(value):
            message = f"argument {shown(key)} must be a mapping with a Contract, not {kind_of(value)}"
            yield report.at(value, "MPL:E046", message)
        return
    yield from unknown_keys(report, value, _ARGUMENT_KEYS, code="E021", what=f"argument {shown(key)}")
    usage = value.get("Usage")
    if usage is None or is_null(usage):
        pass
    elif text_of(usage) not in _ARGUMENT_USAGES:
        yield report.unknown(
            usage,
            "MPL:E053",
            f"Usage of an argument cannot be {shown(usage)}",
            _ARGUMENT_USAGES,
            refused=True,
        )
    elif version is not None and version < _WITH_ARGUMENT_USAGE:
        since = _dotted(_WITH_ARGUMENT_USAGE)
        message = f"Usage of an argument came with format {since}"
        yield report.at(usage, "MPL:E052", message, hint=_raise(_WITH_ARGUMENT_USAGE))
    yield from meta_shape(report, value, code="MPL:E049")


def _dotted(version: Version) -> str:
    return ".".join(map(str, version))


def _raise(since: Version) -> str:
    return f"write Format: MuranoPL/{_dotted(since)} in the manifest, or do without"
