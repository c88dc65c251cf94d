"""Object models in files: JSON or YAML, bare or as the engine stores them (`Objects`, `ObjectsCopy`,
`Attributes`).
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.reasons import explain_error
from sabir.errors import InputError
from sabir.languages.muranopl.evaluate.positions import LatePositions, ModelPositions, read_placed
from sabir.languages.muranopl.model.definitions import MODEL_FORM
from sabir.source.packages import LoadedPackage, PackageLimits
from sabir.source.packages.file_access import read_named_file
from sabir.source.packages.limits import PackageReadError
from sabir.source.yaml import YamlNode, compose
from sabir.source.yaml.defects import NOT_YAML, UNBOUNDED
from sabir.text import Place, Source, Span

MODEL_NAMES: Final = ("model.yaml", "model.yml", "model.json")
"""A model that a package brings itself, used when none is named."""
_PLACED: Final = 2_000_000  # characters; locations in a larger JSON model are computed on demand
_LIMITS: Final = PackageLimits(file=1_000_000_000)


class ModelFile(Struct, frozen=True, kw_only=True):
    """`model` is the definition of the root object; `previous` the model of the last run."""

    source: Source
    model: Mapping[Any, Any] | None = None
    previous: Mapping[Any, Any] | None = None
    attributes: tuple[Any, ...] = ()
    positions: ModelPositions | None = None
    findings: tuple[Finding, ...] = ()
    removes: bool = False
    """`Objects` is null: everything that `previous` has is to be taken away."""
    goes_on: bool = False
    """`previous` is what a deployment left; the model itself is as its author wrote it."""


def find_model(package: LoadedPackage, path: Path | None) -> Source | None:
    """Return the text of the model: of the named file, else of the one in the root of the package."""
    if path is not None:
        try:
            return Source(str(path.absolute()), read_named_file(path, _LIMITS).decode("utf-8-sig"))
        except (PackageReadError, UnicodeDecodeError) as error:
            reason = "is no UTF-8 text" if isinstance(error, UnicodeDecodeError) else str(error)
            raise InputError(f"the model {str(path)!r} {reason}") from error
    for name in MODEL_NAMES:
        file = package.get_file(name)
        if file is not None:
            return file.source
    return None


def read_model(source: Source) -> ModelFile:
    """Return the model of a text with the locations of its parts; those of a large JSON text are computed on
    demand.
    """
    data: Any = None
    positions: ModelPositions | None = None
    if len(source.text) > _PLACED and source.text.lstrip()[:1] == "{":
        data, problem = _large_json(source)
        if problem is not None:
            return ModelFile(source=source, findings=(problem,))
        positions = LatePositions(source, data)
    else:
        stream = compose(source)
        findings = tuple(stream.findings)
        documents = [document for document in stream.documents if document is not None]
        if stream.broken:
            return ModelFile(source=source, findings=findings)
        if documents:
            return build_model(source, documents[0])
    return _build_model_file(source, data, positions)


def build_model(source: Source, node: YamlNode) -> ModelFile:
    """Return the model of a parsed document."""
    return _build_model_file(source, *read_placed(source, node))


def _build_model_file(source: Source, data: Any, positions: ModelPositions | None) -> ModelFile:
    if not isinstance(data, Mapping):
        return ModelFile(source=source, findings=(_not_a_model(source),))
    if "Objects" in data and "?" not in data:
        return _build_stored_model(source, data, positions)
    return ModelFile(source=source, model=data, positions=positions)


def _large_json(source: Source) -> tuple[Any, Finding | None]:
    import json

    try:
        return json.loads(source.text), None
    except json.JSONDecodeError as error:
        return None, NOT_YAML.at(
            Place(source, Span(error.pos, error.pos)), f"not readable as JSON: {explain_error(error)}"
        )
    except RecursionError:
        return None, UNBOUNDED.about_file(source, "nested too deeply")


def _build_stored_model(
    source: Source, data: Mapping[Any, Any], positions: ModelPositions | None
) -> ModelFile:
    model, previous, attributes = data["Objects"], data.get("ObjectsCopy"), data.get("Attributes")
    removes = model is None and isinstance(previous, Mapping)
    if not isinstance(model, Mapping) and not removes:
        return ModelFile(source=source, findings=(_not_a_model(source),))
    return ModelFile(
        source=source,
        model=model,
        previous=previous if isinstance(previous, Mapping) else None,
        attributes=tuple(attributes) if isinstance(attributes, list) else (),
        positions=positions,
        removes=removes,
    )


def _not_a_model(source: Source) -> Finding:
    return MODEL_FORM.at(
        Place(source, Span(0, 0)),
        "an object model is a mapping with a '?' entry",
        hint="as in {'?': {'id': 'root', 'type': 'my.Class'}, 'property': 'value'}",
    )
