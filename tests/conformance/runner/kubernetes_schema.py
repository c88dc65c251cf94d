"""Every produced object has to be one that Kubernetes takes: `kubernetes-validate`, strict, newest schema it ships."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

__all__ = ["schema_problems"]


def schema_problems(objects: Sequence[Mapping[str, Any]]) -> list[str]:
    found: list[str] = []
    for item in objects:
        try:
            text = json.dumps(item, sort_keys=True)
        except (TypeError, ValueError) as error:
            found.append(f"object is no plain data: {error}: {item!r}")
            continue
        problem = _problem(text)
        if problem:
            found.append(problem)
    return found


@lru_cache(maxsize=4096)
def _problem(text: str) -> str | None:
    """The cases share most of their objects (globals, namespace …), and validating one costs milliseconds."""
    import kubernetes_validate  # type: ignore[import-untyped]  # it ships no types

    item = json.loads(text)
    metadata = item.get("metadata")
    at = f"{item.get('kind')}/{metadata.get('name') if isinstance(metadata, dict) else '?'}: kubernetes-validate"
    if not isinstance(item.get("apiVersion"), str) or not isinstance(item.get("kind"), str):
        return f"{at}: apiVersion and kind must be texts"
    try:
        kubernetes_validate.validate(item, kubernetes_validate.latest_version(), strict=True)
    except kubernetes_validate.ValidationError as error:
        return f"{at}: {'.'.join(str(part) for part in error.path) or 'object'}: {error.message}"
    except (kubernetes_validate.SchemaNotFoundError, kubernetes_validate.InvalidSchemaError) as error:
        return f"{at}: {error.message}"
    return None
