"""Model: create the object model of a package from its forms or contracts."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from msgspec import Struct, field

from sabir.errors import InputError, UsageError
from sabir.languages.language import EvaluationRequest, MakesModels, ModelCall, ModelQuestion, ModelResult
from sabir.operations.evaluation import language_at
from sabir.source.packages import load_package
from sabir.source.packages.file import read_input
from sabir.source.packages.limits import PackageReadError
from sabir.source.yaml import compose, plain_data
from sabir.text import Source


class ModelRequest(Struct, frozen=True, kw_only=True):
    """The package, and the values of form fields or properties."""

    path: Path
    values: Mapping[str, Any] = field(default_factory=dict[str, Any])
    cloud: Path | None = None
    """A YAML file that says what a cloud offers."""
    cls: str | None = None
    forms: bool = False
    schema: bool = False
    method: str | None = None
    ask: Callable[[ModelQuestion], Any] | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)


def model_of_path(request: ModelRequest) -> ModelResult:
    """Create a model; raise `UsageError` for a language whose projects need none."""
    package = load_package(request.path, request.evaluation.session.limits.package)
    language = language_at(package, request.path, None)
    if not isinstance(language, MakesModels):
        raise UsageError(
            f"{package.name} is {language.name}, whose descriptions are complete without a model"
        )
    call = ModelCall(
        values=request.values,
        cloud=None if request.cloud is None else _read_cloud(request.cloud),
        cls=request.cls,
        forms=request.forms,
        schema=request.schema,
        method=request.method,
        ask=request.ask,
    )
    return language.make_model(package, request.evaluation, call)


def _read_cloud(path: Path) -> Mapping[str, Any]:
    try:
        text = read_input(path).decode("utf-8")
    except PackageReadError as error:
        raise InputError(f"{path} {error}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path} is no UTF-8 text") from None
    stream = compose(Source(str(path), text))
    for finding in stream.findings:
        raise InputError(f"{finding.location}: {finding.message}")
    data = plain_data(stream.documents[0]) if stream.documents and stream.documents[0] is not None else {}
    if not isinstance(data, Mapping):
        raise InputError(f"{path} describes no cloud: it must be a mapping with flavors, images, networks, …")
    return {str(key): value for key, value in data.items()}
