"""Values given beside the model: inputs are properties of the root object, overrides those of any object."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.graph.origin import How, Origin
from sabir.graph.values import reveal_all
from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.model.definitions import defined_objects

__all__ = ["apply_overrides"]


def apply_overrides(model: Any, request: EvaluationRequest) -> dict[tuple[str, str], How | Origin]:
    """Put the values of a request into a model that was just read; which ones, by object id and property."""
    done: dict[tuple[str, str], How | Origin] = {}
    if not request.inputs and not request.overrides:
        return done
    objects = defined_objects(model)
    header = model.get("?")
    root = str(header.get("id")) if isinstance(header, Mapping) else ""
    for name, value in request.inputs.items():
        model[name] = reveal_all(value)
        done[root, name] = request.input_origins.get(name, How.INPUT)
    for subject, value in request.overrides.items():
        instance, dot, name = subject.rpartition(".")
        if not dot:
            raise UsageError(f"--set {subject!r}: write it as OBJECT.PROPERTY=VALUE")
        id_ = _find(instance, objects)
        definition: Any = objects[id_]
        definition[name] = value
        done[id_, name] = How.OVERRIDE
    return done


def _find(instance: str, objects: Mapping[str, Mapping[Any, Any]]) -> str:
    if instance in objects:
        return instance
    names = {str(raw["?"]["name"]): id_ for id_, raw in objects.items() if raw["?"].get("name") is not None}
    if instance in names:
        return names[instance]
    hint = did_you_mean(instance, {*objects, *names})
    raise UsageError(f"the model has no object {instance!r}" + (f": {hint}" if hint else ""))
