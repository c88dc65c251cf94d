"""Runs an Inmanta case on sabir."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sabir.diagnostics.finding import Finding, Severity
from sabir.languages.inmanta import codes
from sabir.languages.inmanta.evaluate.model import Model, evaluate_package
from sabir.languages.inmanta.evaluate.values import Instance as OurInstance
from sabir.languages.inmanta.evaluate.values import Pending, RelationList, RelationValue
from sabir.source.packages.load import load_package
from tests.conformance.runner.inmanta import (
    InmantaCase,
    InmantaError,
    InmantaOutcome,
    InmantaWarning,
    Instance,
    Relation,
)

__all__ = ["run"]

_KINDS: Final = {
    codes.SYNTAX: "parse-error",
    codes.UNKNOWN_MODULE: "unknown-module",
    codes.UNKNOWN_NAME: "unknown-name",
    codes.DUPLICATE: "duplicate-definition",
    codes.TYPE_CYCLE: "cycle",
    codes.BAD_IMPLEMENT: "bad-implement",
    codes.BAD_INDEX: "index-definition",
    codes.TYPE: "type-error",
    codes.DOUBLE: "double-assignment",
    codes.UNSET: "unset",
    codes.MULTIPLICITY: "multiplicity",
    codes.FROZEN: "frozen",
    codes.CYCLE: "cycle",
    codes.NO_IMPLEMENTATION: "no-implementation",
    codes.INDEX_MISSING: "index-missing-attribute",
    codes.INDEX_CONFLICT: "index-conflict",
    codes.INDEX_LOOKUP: "index-lookup",
    codes.CALL: "call-error",
    codes.PLUGIN: "plugin-error",
    codes.KEY: "key-error",
    codes.SLASH_COMMENT: "deprecated",
    codes.OLD_RELATION: "deprecated",
}


def run(case: InmantaCase, folder: Path) -> InmantaOutcome:
    del case
    model = evaluate_package(load_package(folder), plugins=True)
    return InmantaOutcome(
        errors=tuple(_error(one) for one in model.findings if one.severity is Severity.ERROR),
        warnings=tuple(_warning(one) for one in model.findings if one.severity is Severity.WARNING),
        **_values(model),
    )


def _error(finding: Finding) -> InmantaError:
    lines = [finding.location.line, *(one.place.location.line for one in finding.related)]
    return InmantaError(
        kind=_KINDS.get(finding.code, finding.code),
        file=finding.filename,
        line=finding.location.line,
        lines=tuple(lines),
        message=finding.message,
    )


def _warning(finding: Finding) -> InmantaWarning:
    kind = _KINDS.get(finding.code, finding.code)
    return InmantaWarning(kind=kind, line=finding.location.line, file=finding.filename)


def _values(model: Model) -> dict[str, Any]:
    made = {one: Instance(entity=one.entity.name) for one in model.instances}

    def shown(value: Any) -> Any:
        if isinstance(value, OurInstance):
            return made[value]
        if isinstance(value, RelationList):
            return Relation(tuple(made[one] for one in value))
        if isinstance(value, list):
            return [shown(one) for one in value]
        if isinstance(value, dict):
            return {key: shown(one) for key, one in value.items()}
        return value

    for instance, out in made.items():
        for prop, value in zip(instance.entity.by_slot, instance.values, strict=True):
            if isinstance(value, RelationValue):
                out.attributes[prop.name] = Relation(tuple(made[one] for one in value.values))
            elif isinstance(value, Pending):
                out.attributes[prop.name] = Relation(()) if prop.is_list else None
            else:
                out.attributes[prop.name] = shown(value)
    variables = {name: shown(value) for name, value in model.variables().items()}
    return {"variables": variables, "instances": tuple(made.values())}
