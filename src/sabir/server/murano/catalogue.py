"""Packages and categories in Murano's API, under `/v1/catalog`."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Annotated, Any, Final

import msgspec
from litestar import Controller, Response, delete, get, patch, post
from litestar.datastructures import UploadFile
from litestar.exceptions import ClientException, NotFoundException
from litestar.params import FromPath, FromQuery, JSONBody, QueryParameter
from litestar.status_codes import HTTP_200_OK, HTTP_400_BAD_REQUEST
from msgspec import Meta, Struct

from sabir.diagnostics.decoding import UNDECODED, explain_decode_error
from sabir.server.access import require_permission
from sabir.server.murano.models import apply_patch, is_in_range
from sabir.server.murano.responses import package_data
from sabir.server.request_context import ServiceRequest, decoded_body, service_of
from sabir.server.store.catalogue import Category, PackageInfo, Search
from sabir.server.store.tokens import Verb

_CHANGED: Final = {
    "name": "name",
    "description": "description",
    "tags": "tags",
    "categories": "categories",
    "enabled": "enabled",
    "is_public": "public",
}


class _Metadata(Struct, frozen=True):
    is_public: bool = False
    categories: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    enabled: bool = True


class _Changes(Struct, frozen=True, forbid_unknown_fields=True):
    """The fields of a package that users may change."""

    name: str
    description: str
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    enabled: bool
    is_public: bool


class MuranoPackages(Controller):
    """List, upload, download, change and delete packages."""

    path = "/catalog/packages"
    tags = ("murano",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_packages(
        self,
        request: ServiceRequest,
        *,
        include_disabled: FromQuery[bool] = False,
        owned: FromQuery[bool] = False,
        fqn: FromQuery[str | None] = None,
        version: FromQuery[str | None] = None,
        category: FromQuery[str | None] = None,
        tag: FromQuery[str | None] = None,
        class_name: FromQuery[str | None] = None,
        package_type: Annotated[str | None, QueryParameter(name="type")] = None,
        search: FromQuery[str | None] = None,
        marker: FromQuery[str | None] = None,
        limit: Annotated[int, QueryParameter(ge=1)] = 20,
    ) -> dict[str, Any]:
        wanted = Search(
            text=search,
            full_name=fqn,
            category=category,
            tag=tag,
            class_name=class_name,
            type=package_type,
            owner=request.user.name if owned else None,
            disabled=include_disabled,
            after=marker,
            limit=limit,
        )
        packages, following = await asyncio.to_thread(service_of(request).catalogue.search, wanted)
        more = {} if following is None else {"next_marker": following}
        return {"packages": [package_data(info) for info in packages if is_in_range(info, version)], **more}

    @post(guards=[require_permission(Verb.UPLOAD)], status_code=HTTP_200_OK)
    async def upload(self, request: ServiceRequest) -> Response[dict[str, Any]]:
        """Store a package from a multipart body: `__metadata__`, and the archive under any name.

        A package with errors is rejected; the response lists them.
        """
        service = service_of(request)
        metadata, archive = await _read_form(request)
        await _refuse_unknown(request, metadata.categories)
        checked = await service.checking.check(archive)
        service.measures.count_upload(stored=checked.described is not None)
        if checked.described is None:
            await asyncio.to_thread(service.audit.note, request.user.name, "upload", "package", "refused")
            return Response({"error": _refusal_body(checked.body)}, status_code=HTTP_400_BAD_REQUEST)
        described = checked.described
        tagged = msgspec.structs.replace(described, tags=(*described.tags, *metadata.tags))
        info = await asyncio.to_thread(
            lambda: service.catalogue.add(
                archive,
                tagged,
                owner=request.user.name,
                categories=metadata.categories,
                public=metadata.is_public,
            )
        )
        if not metadata.enabled:
            await asyncio.to_thread(lambda: service.catalogue.change(info.id, enabled=False))
            info = await _find_package(request, info.id)
        await asyncio.to_thread(
            service.audit.note, request.user.name, "upload", info.full_name, digest=info.digest
        )
        return Response(package_data(info))

    @get("/{package_id:str}", guards=[require_permission(Verb.READ)])
    async def show(self, request: ServiceRequest, package_id: FromPath[str]) -> dict[str, Any]:
        return package_data(await _find_package(request, package_id))

    @get(
        "/{package_id:str}/download",
        guards=[require_permission(Verb.READ)],
        media_type="application/octet-stream",
    )
    async def download(self, request: ServiceRequest, package_id: FromPath[str]) -> bytes:
        info = await _find_package(request, package_id)
        return await asyncio.to_thread(service_of(request).catalogue.archive, info)

    @patch("/{package_id:str}", guards=[require_permission(Verb.UPLOAD)])
    async def change(self, request: ServiceRequest, package_id: FromPath[str]) -> dict[str, Any]:
        """Apply a JSON patch to name, description, tags, categories, enabled, is_public."""
        info = await _find_package(request, package_id)
        operations = await decoded_body(request)
        before = {name: value for name, value in package_data(info).items() if name in _CHANGED}
        try:
            changes = msgspec.convert(apply_patch(before, operations), _Changes)
        except UNDECODED as error:
            raise ClientException(explain_decode_error(error)) from error
        await _refuse_unknown(request, changes.categories)
        values = {_CHANGED[name]: value for name, value in msgspec.structs.asdict(changes).items()}
        changed = await asyncio.to_thread(lambda: service_of(request).catalogue.change(info.id, **values))
        return package_data(changed or info)

    @delete("/{package_id:str}", guards=[require_permission(Verb.UPLOAD)], status_code=HTTP_200_OK)
    async def remove(self, request: ServiceRequest, package_id: FromPath[str]) -> None:
        service, info = service_of(request), await _find_package(request, package_id)
        await asyncio.to_thread(service.catalogue.remove, info.id)
        await asyncio.to_thread(service.audit.note, request.user.name, "delete", info.full_name)


class _NewCategory(Struct, frozen=True):
    name: Annotated[str, Meta(min_length=1, max_length=80)]


class MuranoCategories(Controller):
    """List, create and delete categories."""

    path = "/catalog/categories"
    tags = ("murano",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_categories(self, request: ServiceRequest) -> dict[str, list[Category]]:
        return {"categories": await asyncio.to_thread(service_of(request).catalogue.all_categories)}

    @get("/{category_id:str}", guards=[require_permission(Verb.READ)])
    async def show(self, request: ServiceRequest, category_id: FromPath[str]) -> Category:
        every = await asyncio.to_thread(service_of(request).catalogue.all_categories)
        category = next((category for category in every if category.id == category_id), None)
        if category is None:
            raise NotFoundException(f"no category {category_id!r}")
        return category

    @post(guards=[require_permission(Verb.UPLOAD)], status_code=HTTP_200_OK)
    async def add(self, request: ServiceRequest, data: JSONBody[_NewCategory]) -> Category:
        return await asyncio.to_thread(service_of(request).catalogue.add_category, data.name)

    @delete("/{category_id:str}", guards=[require_permission(Verb.UPLOAD)], status_code=HTTP_200_OK)
    async def remove(self, request: ServiceRequest, category_id: FromPath[str]) -> None:
        if not await asyncio.to_thread(service_of(request).catalogue.remove_category, category_id):
            raise NotFoundException(f"no category {category_id!r}")


async def _read_form(request: ServiceRequest) -> tuple[_Metadata, bytes]:
    form = await request.form()
    archive: bytes | None = None
    metadata = _Metadata()
    for name, part in form.multi_items():
        content = await part.read() if isinstance(part, UploadFile) else str(part).encode()
        if name == "__metadata__":
            try:
                metadata = msgspec.json.decode(content, type=_Metadata)
            except UNDECODED as error:
                raise ClientException(f"__metadata__: {explain_decode_error(error, content)}") from error
        else:
            archive = content
    if archive is None:
        raise ClientException("a package is needed: a part of the form that is a zip archive")
    return metadata, archive


def _refusal_body(body: dict[str, Any]) -> dict[str, Any]:
    """Put every error and its location into the message: Murano's client shows nothing else."""
    errors = [finding for finding in body["findings"] if finding["severity"] == "error"]
    lines = [
        f"{finding['file']}:{finding['line'] or 1}: {finding['code']} {finding['message']}"
        + (f"; {finding['hint']}" if finding["hint"] else "")
        for finding in errors
    ]
    message = "\n".join([body["message"], *lines])
    return {"message": message, "code": HTTP_400_BAD_REQUEST, "findings": body["findings"]}


async def _refuse_unknown(request: ServiceRequest, names: Iterable[str]) -> None:
    every = await asyncio.to_thread(service_of(request).catalogue.all_categories)
    for name in names:
        if name not in {category.name for category in every}:
            raise ClientException(f"there is no category {name!r}")


async def _find_package(request: ServiceRequest, package_id: str) -> PackageInfo:
    info = await asyncio.to_thread(service_of(request).catalogue.get, package_id)
    if info is None:
        raise NotFoundException(f"no package {package_id!r}")
    return info
