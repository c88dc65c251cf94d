"""Forms of a package, and the object model that they make."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

from litestar import Controller, get, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, JSONBody
from litestar.status_codes import HTTP_200_OK
from msgspec import Meta, Struct

from sabir.errors import FindingError
from sabir.languages.language import EvaluationRequest, ModelResult
from sabir.operations.model import ModelRequest, model_of_path
from sabir.server.access import allowed
from sabir.server.requesting import Asking, service_of
from sabir.server.store.tokens import Verb
from sabir.session import PROFILES, Session

__all__ = ["Forms"]


class FormValues(Struct, frozen=True, forbid_unknown_fields=True):
    values: Annotated[dict[str, Any], Meta(max_length=1000)] = {}
    """By `form.field`."""


class MadeModel(Struct, frozen=True, kw_only=True):
    model: dict[str, Any] | None = None
    errors: tuple[str, ...] = ()
    """`form.field: what is wrong`; without any there is a model."""


class Forms(Controller):
    path = "/packages/{package_id:str}"
    tags = ("catalogue",)

    @get("/forms", guards=[allowed(Verb.READ)])
    async def forms(self, request: Asking, package_id: FromPath[str]) -> dict[str, Any]:
        """The forms, each field with its type, label, choices and limits."""
        result = await _model(request, package_id, forms=True)
        return dict(result.document or {})

    @post("/model", guards=[allowed(Verb.READ)], status_code=HTTP_200_OK)
    async def model(
        self, request: Asking, package_id: FromPath[str], data: JSONBody[FormValues]
    ) -> MadeModel:
        """The object model that filled-in forms make, or what is wrong with the values."""
        result = await _model(request, package_id, values=data.values)
        return MadeModel(
            model=None if result.document is None else dict(result.document), errors=result.errors
        )


async def _model(request: Asking, package_id: str, **words: Any) -> ModelResult:
    service = service_of(request)
    info = await asyncio.to_thread(service.catalogue.get, package_id)
    if info is None:
        raise NotFoundException(f"no package {package_id!r}")
    path: Path = service.catalogue.archive_path(info)
    evaluation = EvaluationRequest(session=Session(limits=PROFILES["strict"]))
    result = await asyncio.to_thread(model_of_path, ModelRequest(path=path, evaluation=evaluation, **words))
    if result.findings and result.document is None and not result.errors:
        raise FindingError(result.findings)
    return result
