"""The package catalog: packages, categories, forms, and the models that filled-in forms create."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Annotated, Any

from litestar import Controller, MediaType, Response, delete, get, patch, post
from litestar.exceptions import NotFoundException
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_201_CREATED, HTTP_400_BAD_REQUEST
from msgspec import UNSET, Meta, Struct, UnsetType

from sabir.errors import FindingError
from sabir.languages.language import EvaluationRequest, ModelResult
from sabir.operations.model import ModelRequest, model_of_path
from sabir.server.access import require_permission
from sabir.server.package_metadata import icon_of
from sabir.server.request_context import ServiceRequest, service_of
from sabir.server.store.catalogue import Category, PackageInfo, Search
from sabir.server.store.tokens import Verb
from sabir.session import PROFILES, Session
from sabir.source.packages import load_package


class PackagePage(Struct, frozen=True, kw_only=True):
    """One page of the catalog."""

    packages: list[PackageInfo]
    next: str | None = None
    """`after` of the next page."""


class PackageChange(Struct, frozen=True, kw_only=True):
    """The fields of a package that users may change; missing fields stay as they are."""

    name: str | UnsetType = UNSET
    description: str | UnsetType = UNSET
    tags: tuple[str, ...] | UnsetType = UNSET
    categories: tuple[str, ...] | UnsetType = UNSET
    enabled: bool | UnsetType = UNSET
    public: bool | UnsetType = UNSET


class NewCategory(Struct, frozen=True):
    """The body of a request for a category."""

    name: str


class PackageRoutes(Controller):
    """List, upload, download, change and delete packages."""

    path = "/packages"
    tags = ("catalogue",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_packages(
        self,
        request: ServiceRequest,
        search: Annotated[
            str | None, QueryParameter(description="Words in names, descriptions, tags and authors.")
        ] = None,
        category: FromQuery[str | None] = None,
        tag: FromQuery[str | None] = None,
        after: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1, le=100)] = 20,
    ) -> PackagePage:
        """The catalogue, page by page."""
        wanted = Search(text=search, category=category, tag=tag, after=after, limit=limit)
        packages, following = await asyncio.to_thread(service_of(request).catalogue.search, wanted)
        return PackagePage(packages=packages, next=following)

    @post(
        guards=[require_permission(Verb.UPLOAD)],
        status_code=HTTP_201_CREATED,
        raises=[],
    )
    async def upload(
        self, request: ServiceRequest, category: FromQuery[list[str] | None] = None
    ) -> Response[Any]:
        """Store a package: the body is a zip archive. One with errors is not stored; the answer lists them."""
        service, archive = service_of(request), await request.body()
        checked = await service.checking.check(archive)
        service.measures.count_upload(stored=checked.described is not None)
        if checked.described is None:
            await asyncio.to_thread(service.audit.note, request.user.name, "upload", "package", "refused")
            return Response(checked.body, status_code=HTTP_400_BAD_REQUEST)
        info = await asyncio.to_thread(
            service.catalogue.add,
            archive,
            checked.described,
            owner=request.user.name,
            categories=category or (),
        )
        await asyncio.to_thread(
            service.audit.note, request.user.name, "upload", info.full_name, digest=info.digest
        )
        return Response(info, status_code=HTTP_201_CREATED)

    @get("/{package_id:str}", guards=[require_permission(Verb.READ)])
    async def show(self, request: ServiceRequest, package_id: FromPath[str]) -> PackageInfo:
        return await _package_of(request, package_id)

    @patch("/{package_id:str}", guards=[require_permission(Verb.UPLOAD)])
    async def change(
        self, request: ServiceRequest, package_id: FromPath[str], data: JSONBody[PackageChange]
    ) -> PackageInfo:
        await _package_of(request, package_id)
        values = {
            name: value for name in data.__struct_fields__ if (value := getattr(data, name)) is not UNSET
        }
        changed = await asyncio.to_thread(service_of(request).catalogue.change, package_id, **values)
        assert changed is not None, "it was there"
        return changed

    @delete("/{package_id:str}", guards=[require_permission(Verb.UPLOAD)])
    async def remove(self, request: ServiceRequest, package_id: FromPath[str]) -> None:
        info = await _package_of(request, package_id)
        await asyncio.to_thread(service_of(request).catalogue.remove, package_id)
        await asyncio.to_thread(service_of(request).audit.note, request.user.name, "delete", info.full_name)

    @get("/{package_id:str}/archive", guards=[require_permission(Verb.READ)], media_type="application/zip")
    async def archive(self, request: ServiceRequest, package_id: FromPath[str]) -> bytes:
        info = await _package_of(request, package_id)
        return await asyncio.to_thread(service_of(request).catalogue.archive, info)

    @get(
        "/{package_id:str}/icon",
        guards=[require_permission(Verb.READ)],
        media_type="image/png",
        # A package with another picture is another package.
        response_headers={"cache-control": "private, max-age=86400, immutable"},
    )
    async def icon(self, request: ServiceRequest, package_id: FromPath[str]) -> bytes:
        info = await _package_of(request, package_id)
        path = service_of(request).catalogue.archive_path(info)
        picture = await asyncio.to_thread(lambda: icon_of(load_package(path)))
        if picture is None:
            raise NotFoundException(f"{info.full_name} has no picture")
        return picture


async def _package_of(request: ServiceRequest, package_id: str) -> PackageInfo:
    info = await asyncio.to_thread(service_of(request).catalogue.get, package_id)
    if info is None:
        raise NotFoundException(f"no package {package_id!r}")
    return info


class CategoryRoutes(Controller):
    """List, create and delete categories."""

    path = "/categories"
    tags = ("catalogue",)

    @get(guards=[require_permission(Verb.READ)], media_type=MediaType.JSON)
    async def list_categories(self, request: ServiceRequest) -> list[Category]:
        return await asyncio.to_thread(service_of(request).catalogue.all_categories)

    @post(guards=[require_permission(Verb.UPLOAD)])
    async def add(self, request: ServiceRequest, data: JSONBody[NewCategory]) -> Category:
        return await asyncio.to_thread(service_of(request).catalogue.add_category, data.name)

    @delete("/{category_id:str}", guards=[require_permission(Verb.UPLOAD)])
    async def remove(self, request: ServiceRequest, category_id: FromPath[str]) -> None:
        if not await asyncio.to_thread(service_of(request).catalogue.remove_category, category_id):
            raise NotFoundException(f"no category {category_id!r}")


class FormValues(Struct, frozen=True, forbid_unknown_fields=True):
    """The values of form fields."""

    values: Annotated[dict[str, Any], Meta(max_length=1000)] = {}
    """By `form.field`."""


class MadeModel(Struct, frozen=True, kw_only=True):
    """The object model, or the errors that prevent one."""

    model: dict[str, Any] | None = None
    errors: tuple[str, ...] = ()
    """`form.field: what is wrong`; without any there is a model."""


class FormRoutes(Controller):
    """The forms of a package."""

    path = "/packages/{package_id:str}"
    tags = ("catalogue",)

    @get("/forms", guards=[require_permission(Verb.READ)])
    async def forms(self, request: ServiceRequest, package_id: FromPath[str]) -> dict[str, Any]:
        """The forms, each field with its type, label, choices and limits."""
        result = await _build_model(request, package_id, forms=True)
        return dict(result.document or {})

    @post("/model", guards=[require_permission(Verb.READ)], status_code=HTTP_200_OK)
    async def model(
        self, request: ServiceRequest, package_id: FromPath[str], data: JSONBody[FormValues]
    ) -> MadeModel:
        """The object model that filled-in forms make, or what is wrong with the values."""
        result = await _build_model(request, package_id, values=data.values)
        return MadeModel(
            model=None if result.document is None else dict(result.document), errors=result.errors
        )


async def _build_model(request: ServiceRequest, package_id: str, **words: Any) -> ModelResult:
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
