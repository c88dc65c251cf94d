"""Runs an Inmanta case on sabir."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sabir.diagnostics.finding import Finding, Severity
from sabir.languages.inmanta.evaluate.calls import PLUGIN
from sabir.languages.inmanta.evaluate.construction import NO_IMPLEMENTATION
from sabir.languages.inmanta.evaluate.constructors import INDEX_CONFLICT, INDEX_MISSING
from sabir.languages.inmanta.evaluate.expressions import KEY
from sabir.languages.inmanta.evaluate.lookups import INDEX_LOOKUP
from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.languages.inmanta.evaluate.reads import UNSET
from sabir.languages.inmanta.evaluate.termination import CYCLE
from sabir.languages.inmanta.evaluate.values import ModelInstance as OurInstance
from sabir.languages.inmanta.evaluate.values import PendingSlot, RelationList, RelationValue
from sabir.languages.inmanta.evaluate.writes import DOUBLE, FROZEN, MULTIPLICITY
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.entities import TYPE_CYCLE
from sabir.languages.inmanta.model.names import CALL
from sabir.languages.inmanta.model.resolution import BAD_IMPLEMENT, BAD_INDEX
from sabir.languages.inmanta.model.types import TYPE
from sabir.languages.inmanta.syntax.project import (
    DUPLICATE,
    OLD_RELATION,
    SLASH_COMMENT,
    UNKNOWN_MODULE,
)
from sabir.languages.inmanta.syntax.stream import SYNTAX
from sabir.session import Session, Trust
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
    SYNTAX.code: "parse-error",
    UNKNOWN_MODULE.code: "unknown-module",
    UNKNOWN_NAME.code: "unknown-name",
    DUPLICATE.code: "duplicate-definition",
    TYPE_CYCLE.code: "cycle",
    BAD_IMPLEMENT.code: "bad-implement",
    BAD_INDEX.code: "index-definition",
    TYPE.code: "type-error",
    DOUBLE.code: "double-assignment",
    UNSET.code: "unset",
    MULTIPLICITY.code: "multiplicity",
    FROZEN.code: "frozen",
    CYCLE.code: "cycle",
    NO_IMPLEMENTATION.code: "no-implementation",
    INDEX_MISSING.code: "index-missing-attribute",
    INDEX_CONFLICT.code: "index-conflict",
    INDEX_LOOKUP.code: "index-lookup",
    CALL.code: "call-error",
    PLUGIN.code: "plugin-error",
    KEY.code: "key-error",
    SLASH_COMMENT.code: "deprecated",
    OLD_RELATION.code: "deprecated",
}


def run(case: InmantaCase, folder: Path) -> InmantaOutcome:
    del case
    model = evaluate_package(load_package(folder), session=Session(trust=Trust(python=True)))
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


def _values(model: EvaluatedModel) -> dict[str, Any]:
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
            elif isinstance(value, PendingSlot):
                out.attributes[prop.name] = Relation(()) if prop.is_list else None
            else:
                out.attributes[prop.name] = shown(value)
    variables = {name: shown(value) for name, value in model.variables().items()}
    return {"variables": variables, "instances": tuple(made.values())}
