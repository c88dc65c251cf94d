"""Parsing of resource files into typed nodes, with findings for everything invalid."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from typing import TYPE_CHECKING, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.resources.recognition import FILE_NAME, find_description
from sabir.source.packages import LoadedPackage
from sabir.source.yaml.access import find_unknown_keys
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of
from sabir.text import Place, Source, Span

if TYPE_CHECKING:
    from sabir.languages.language import Document


class LocatedName(Struct, frozen=True):
    """A name with its location."""

    text: str
    span: Span


class DescribedResource(Struct, frozen=True, kw_only=True, eq=False):
    name: LocatedName
    kind: LocatedName
    target: LocatedName | None = None
    fields: tuple[tuple[LocatedName, YamlNode], ...] = ()
    """Values are not looked at yet: they may hold expressions."""
    requires: tuple[LocatedName, ...] = ()
    reacts_to: tuple[LocatedName, ...] = ()
    results: tuple[LocatedName, ...] = ()
    """What its step gives back: attributes that are known once it is deployed."""
    timeout: float | None = None
    retries: int | None = None
    prevent_destroy: bool = False
    ignore_changes: tuple[str, ...] = ()


class DescribedOperation(Struct, frozen=True, kw_only=True, eq=False):
    """An operation: resources of kinds that run when it is called."""

    name: LocatedName
    of: LocatedName | None = None
    """The resource it belongs to; None: the description as a whole."""
    about: str | None = None
    arguments: tuple[tuple[LocatedName, YamlNode], ...] = ()
    """With their defaults; nothing for one that must be given."""
    events: tuple[LocatedName, ...] = ()
    run: tuple[DescribedResource, ...] = ()


class Description(Struct, frozen=True, kw_only=True, eq=False):
    source: Source
    resources: tuple[DescribedResource, ...] = ()
    operations: tuple[DescribedOperation, ...] = ()


def resources_rule(number: str, title: str, why: str, *, run: bool = False) -> Rule:
    return Rule(
        code=f"RES:{number}",
        title=title,
        why=why,
        examples="sabir.languages.resources",
        language="resources",
        when="evaluate" if run else "check",
    )


NOT_RESOURCES: Final = resources_rule(
    "E001",
    "a file that describes no resources",
    "A description is a mapping with the key resources: names, each with a kind and fields.",
)
MALFORMED_RESOURCE: Final = resources_rule(
    "E002",
    "a malformed resource",
    "A resource is a mapping with a kind; fields is a mapping, requires and reacts_to are lists of names.",
)
UNKNOWN_KEY: Final = resources_rule(
    "E003",
    "an unknown key",
    "Keys that sabir does not know have no effect, most often because of a typing error. What a kind takes stands "
    "under fields.",
)
UNKNOWN_NAME: Final = resources_rule(
    "E004",
    "a resource that is not described",
    "requires and reacts_to name resources of the same description.",
)

MALFORMED_OPERATION: Final = resources_rule(
    "E008",
    "a malformed operation",
    "An operation is a mapping with run, a mapping of resources of kinds that run; arguments is a mapping of names to defaults.",
)

_KEYS: Final = ("sabir", "resources", "operations")
_OPERATION_KEYS: Final = ("of", "about", "arguments", "events", "run")
_RESOURCE_KEYS: Final = (
    "kind",
    "target",
    "fields",
    "requires",
    "reacts_to",
    "results",
    "timeout",
    "retries",
    "prevent_destroy",
    "ignore_changes",
)


def read_description(root: YamlNode | None, source: Source) -> tuple[Description, tuple[Finding, ...]]:
    """Return the usable part of the description, and findings about its form."""
    reader = _Reader(source)
    resources = reader.resources(root)
    operations = reader.operations(root, resources)
    return Description(source=source, resources=resources, operations=operations), tuple(reader.findings)


class _Reader:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.findings: list[Finding] = []

    def resources(self, root: YamlNode | None) -> tuple[DescribedResource, ...]:
        listed = root.get("resources") if isinstance(root, YamlMapping) else None
        if not isinstance(root, YamlMapping) or not isinstance(listed, YamlMapping):
            at = (listed or root).span if (listed or root) is not None else Span(0, 0)  # type: ignore[union-attr]  # one of them is there
            self._find(at, NOT_RESOURCES, "a description needs the key resources: a mapping of names")
            return ()
        self._check_keys(root, _KEYS, "a description")
        # Of a name that is there twice the last one holds; the YAML reader has said so.
        described = {
            resource.name.text: resource
            for key, value in listed.items()
            if (resource := self._resource(key, value)) is not None
        }
        names = frozenset(described)
        for resource in described.values():
            self._check_names((*resource.requires, *resource.reacts_to), names)
        return tuple(described.values())

    def _check_names(self, used: Iterable[LocatedName], names: Collection[str]) -> None:
        for name in used:
            if name.text not in names:
                hint = did_you_mean(name.text, names)
                self._find(name.span, UNKNOWN_NAME, f"there is no resource {name.text!r}", hint=hint)

    def operations(
        self, root: YamlNode | None, resources: Sequence[DescribedResource]
    ) -> tuple[DescribedOperation, ...]:
        listed = root.get("operations") if isinstance(root, YamlMapping) else None
        if listed is None:
            return ()
        if not isinstance(listed, YamlMapping):
            self._find(listed.span, MALFORMED_OPERATION, "operations must be a mapping of names")
            return ()
        names = {resource.name.text for resource in resources}
        described = (self._operation(key, value, names) for key, value in listed.items())
        return tuple(operation for operation in described if operation is not None)

    def _operation(self, key: YamlNode, value: YamlNode, names: Collection[str]) -> DescribedOperation | None:
        name = text_of(key)
        run = value.get("run") if isinstance(value, YamlMapping) else None
        if name is None or not isinstance(value, YamlMapping) or not isinstance(run, YamlMapping):
            message = (
                f"operation {name!r} must be a mapping with run: resources that are run when it is called"
            )
            self._find(value.span, MALFORMED_OPERATION, message)
            return None
        self._check_keys(value, _OPERATION_KEYS, f"operation {name!r}")
        described = [
            resource for each, node in run.items() if (resource := self._resource(each, node)) is not None
        ]
        of = self._name(value.get("of"), "of must be the name of a resource")
        usable = {*names, *(resource.name.text for resource in described)}
        for resource in described:
            self._check_names((*resource.requires, *resource.reacts_to), usable)
        self._check_names(() if of is None else (of,), names)
        return DescribedOperation(
            name=LocatedName(name, key.span),
            of=of,
            about=text_of(value.get("about")),
            arguments=self._arguments(value.get("arguments")),
            events=self._names(value.get("events"), "events"),
            run=tuple(described),
        )

    def _arguments(self, node: YamlNode | None) -> tuple[tuple[LocatedName, YamlNode], ...]:
        if node is None:
            return ()
        if not isinstance(node, YamlMapping):
            self._find(node.span, MALFORMED_OPERATION, "arguments must be a mapping of names to defaults")
            return ()
        return tuple((LocatedName(text_of(key) or "?", key.span), default) for key, default in node.items())

    def _resource(self, key: YamlNode, value: YamlNode) -> DescribedResource | None:
        name = text_of(key)
        if name is None or not isinstance(value, YamlMapping):
            self._find(value.span, MALFORMED_RESOURCE, f"resource {name!r} must be a mapping with a kind")
            return None
        self._check_keys(value, _RESOURCE_KEYS, f"resource {name!r}")
        kind = self._name(value.get("kind"), "kind must be the name of a kind")
        if kind is None:
            if value.get("kind") is None:
                self._find(
                    key.span, MALFORMED_RESOURCE, f"resource {name!r} needs its kind", hint="write kind: file"
                )
            return None
        fields = value.get("fields")
        if fields is not None and not isinstance(fields, YamlMapping):
            self._find(fields.span, MALFORMED_RESOURCE, "fields must be a mapping of names to values")
            fields = None
        return DescribedResource(
            name=LocatedName(name, key.span),
            kind=kind,
            target=self._name(value.get("target"), "target must be the name of a target"),
            fields=tuple(
                (LocatedName(text_of(field) or "?", field.span), node)
                for field, node in (fields.items() if fields is not None else ())
            ),
            requires=self._names(value.get("requires"), "requires"),
            reacts_to=self._names(value.get("reacts_to"), "reacts_to"),
            results=self._names(value.get("results"), "results"),
            timeout=self._number(value.get("timeout"), "timeout"),
            retries=_to_integer(self._number(value.get("retries"), "retries")),
            prevent_destroy=self._flag(value.get("prevent_destroy"), "prevent_destroy"),
            ignore_changes=tuple(
                field.text for field in self._names(value.get("ignore_changes"), "ignore_changes")
            ),
        )

    def _name(self, node: YamlNode | None, message: str) -> LocatedName | None:
        text = text_of(node)
        if node is not None and text is None:
            self._find(node.span, MALFORMED_RESOURCE, message)
        return None if node is None or text is None else LocatedName(text, node.span)

    def _names(self, node: YamlNode | None, key: str) -> tuple[LocatedName, ...]:
        if node is None:
            return ()
        items = node.items if isinstance(node, YamlSequence) else (node,)
        names = [self._name(item, f"{key} must be a name or a list of names") for item in items]
        return tuple(name for name in names if name is not None)

    def _number(self, node: YamlNode | None, key: str) -> float | None:
        value = node.value if isinstance(node, YamlScalar) else None
        if isinstance(value, int | float) and not isinstance(value, bool) and value >= 0:
            return float(value)
        if node is not None:
            self._find(node.span, MALFORMED_RESOURCE, f"{key} must be a number that is not negative")
        return None

    def _flag(self, node: YamlNode | None, key: str) -> bool:
        value = node.value if isinstance(node, YamlScalar) else None
        if node is not None and not isinstance(value, bool):
            self._find(node.span, MALFORMED_RESOURCE, f"{key} must be true or false")
        return value is True

    def _check_keys(self, mapping: YamlMapping, names: Sequence[str], subject: str) -> None:
        for key, name, hint in find_unknown_keys(mapping, names):
            self._find(key.span, UNKNOWN_KEY, f"{subject} has no key {name!r}", hint=hint)

    def _find(self, span: Span, rule: Rule, message: str, *, hint: str | None = None) -> None:
        self.findings.append(rule.at(Place(self.source, span), message, hint=hint))


def _to_integer(number: float | None) -> int | None:
    return None if number is None else int(number)


def load_description(
    package: LoadedPackage, document: Document | None = None
) -> tuple[Description | None, tuple[Finding, ...]]:
    if document is not None:
        return read_description(document.node, document.source)
    file = find_description(package)
    if file is None:
        return None, (NOT_RESOURCES.about_file(FILE_NAME, f"there is no {FILE_NAME} here"),)
    if file.yaml.broken or file.defect is not None:
        return None, (*file.yaml.findings, *((file.defect,) if file.defect else ()))
    root = file.yaml.documents[0] if file.yaml.documents else None
    read, findings = read_description(root, file.source)
    return read, (*file.yaml.findings, *findings)
