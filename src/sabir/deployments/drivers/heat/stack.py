"""A stack as it is wanted: the request that makes it so, and what differs between it and the one that is there."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

import yaml
from msgspec import Struct

from sabir.errors import DeployError
from sabir.graph.address import digest_text
from sabir.graph.values import Value, reveal_all
from sabir.resources.outcome import FieldChange
from sabir.source.yaml.defects import syntax_finding
from sabir.text import Source

_TAG_SIZE: Final = 80
_PARAMETERS: Final = "parameters"
_ENVIRONMENT: Final = ("parameter_defaults", "resource_registry")


class DesiredStack(Struct, frozen=True, kw_only=True):
    name: str
    template: Mapping[str, Any]
    parameters: Mapping[str, Any] = {}
    environment: Mapping[str, Any] = {}
    files: Mapping[str, str] = {}
    tags: tuple[str, ...] = ()
    """Those of the description; ours come to them."""
    timeout_minutes: int | None = None
    rollback: bool = False

    def request(self, *tags: str) -> dict[str, Any]:
        body: dict[str, Any] = {
            "stack_name": self.name,
            "template": self.template,
            "parameters": self.parameters,
            "environment": self.environment,
            "files": self.files,
            "tags": ",".join((*self.tags, *tags)),
            "disable_rollback": not self.rollback,
        }
        return body if self.timeout_minutes is None else {**body, "timeout_mins": self.timeout_minutes}


def build_desired_stack(fields: Mapping[str, Value]) -> DesiredStack:
    """From the fields of a resource, with secrets in clear: it goes to the cloud and nowhere else."""
    plain: dict[str, Any] = {name: value for name, value in reveal_all(fields).items() if value is not None}
    return DesiredStack(
        name=str(plain["name"]),
        template=_parse_mapping(plain["template"], "template"),
        parameters=plain.get("parameters", {}),
        environment=_parse_mapping(plain.get("environment", {}), "environment"),
        files={name: str(text) for name, text in plain.get("files", {}).items()},
        tags=tuple(map(str, plain.get("tags", ()))),
        timeout_minutes=plain.get("timeout_minutes"),
        rollback=bool(plain.get("rollback", False)),
    )


def _parse_mapping(value: Any, field: str) -> Mapping[str, Any]:
    """A template may be written as data, or as the text of one. Dates are texts in it: `heat_template_version: 2018-08-31`."""
    if not isinstance(value, str):
        mapping: Mapping[str, Any] = _without_dates(value)
        return mapping
    try:
        read = yaml.load(value, yaml.CSafeLoader if yaml.__with_libyaml__ else yaml.SafeLoader)
    except yaml.YAMLError as error:
        finding = syntax_finding(Source(field, value), error)
        raise DeployError(f"{finding.location}: {finding.message}") from error
    if not isinstance(read, dict):
        raise DeployError(f"{field} must be a mapping, or the text of one")
    return _parse_mapping(read, field)


def _without_dates(value: Any) -> Any:
    if isinstance(value, Mapping):
        return {key: _without_dates(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_dates(item) for item in value]
    return value.isoformat() if hasattr(value, "isoformat") else value


def operation_tag(operation_id: str) -> str:
    return f"sabir/operation/{operation_id}"


def environment_tag(environment: str) -> str:
    """Tells whose stack it is. Tags hold no commas and end at 80 characters."""
    tag = f"sabir/environment/{environment}"
    return (
        tag
        if len(tag) <= _TAG_SIZE and "," not in tag
        else f"sabir/environment/{digest_text(environment, size=16)}"
    )


def stack_changes(
    wanted: DesiredStack,
    *,
    template: Mapping[str, Any],
    environment: Mapping[str, Any],
    files: Mapping[str, Any],
    status: str,
) -> Iterator[FieldChange]:
    """What an update would change; and that it did not end well, which another update may mend."""
    if wanted.template != _without_dates(template):
        yield from _template_changes(wanted.template, _without_dates(template))
    before = environment.get(_PARAMETERS) or {}
    after = {**(wanted.environment.get(_PARAMETERS) or {}), **wanted.parameters}
    yield from _compare_by_name(_PARAMETERS, before, after)
    for part in _ENVIRONMENT:
        there, here = (_drop_empty(source.get(part) or {}) for source in (environment, wanted.environment))
        if there != here:
            yield FieldChange(field=f"environment.{part}", before=there, after=here)
    yield from _compare_by_name("files", files, wanted.files)
    if status.endswith("_FAILED"):
        yield FieldChange(field="status", before=status, after="UPDATE_COMPLETE")


def _template_changes(wanted: Mapping[str, Any], there: Mapping[str, Any]) -> Iterator[FieldChange]:
    for section in sorted({*wanted, *there}):
        before, after = there.get(section), wanted.get(section)
        if isinstance(before, Mapping) and isinstance(after, Mapping):
            yield from _compare_by_name(f"template.{section}", before, after)
        elif before != after:
            yield FieldChange(field=f"template.{section}", before=before, after=after)


def _compare_by_name(
    field: str, before: Mapping[str, Any], after: Mapping[str, Any]
) -> Iterator[FieldChange]:
    for name in sorted({*before, *after}):
        if before.get(name) != after.get(name):
            yield FieldChange(field=f"{field}.{name}", before=before.get(name), after=after.get(name))


def _drop_empty(part: Any) -> Any:
    """Heat writes what is empty into an environment: `resource_registry: {resources: {}}`."""
    if isinstance(part, Mapping):
        return {key: inner for key, value in part.items() if (inner := _drop_empty(value)) not in ({}, None)}
    return list(part) if isinstance(part, Sequence) and not isinstance(part, str) else part
