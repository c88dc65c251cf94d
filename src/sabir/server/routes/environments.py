"""Environments and their files."""

from __future__ import annotations

import asyncio
from typing import Annotated

from litestar import Controller, delete, get, patch, post, put
from litestar.exceptions import NotFoundException, PermissionDeniedException
from litestar.params import FromPath, JSONBody
from msgspec import UNSET, Meta, Struct, UnsetType

from sabir.errors import UsageError
from sabir.server.access import require_permission
from sabir.server.request_context import ServiceRequest, environment_of, service_of
from sabir.server.store.environments import EnvironmentInfo
from sabir.server.store.files import EnvironmentFiles, FileInfo, archive_files
from sabir.server.store.tokens import Verb
from sabir.session import Trust

Name = Annotated[str, Meta(min_length=1, max_length=255, pattern=r"^[^\x00-\x1f\x7f]+$")]


class NewEnvironment(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The body of a request for an environment."""

    name: Name


class EnvironmentChange(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of an environment that can be changed; missing fields stay as they are."""

    name: Name | UnsetType = UNSET
    trust: tuple[str, ...] | UnsetType = UNSET
    """Words of `sabir … --trust`; for administrators."""


class EnvironmentRoutes(Controller):
    """List, create, change and delete environments."""

    path = "/environments"
    tags = ("environments",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_environments(self, request: ServiceRequest) -> list[EnvironmentInfo]:
        """Those that the token may see."""
        infos = await asyncio.to_thread(service_of(request).environments.all)
        return [info for info in infos if request.user.may(Verb.READ, info.id)]

    @post(guards=[require_permission(Verb.EDIT)])
    async def create(self, request: ServiceRequest, data: JSONBody[NewEnvironment]) -> EnvironmentInfo:
        """An environment without files yet."""
        service = service_of(request)
        if request.user.environments:
            raise PermissionDeniedException(f"the token {request.user.name!r} is limited to its environments")
        info = await asyncio.to_thread(service.environments.create, data.name, owner=request.user.name)
        await asyncio.to_thread(service.audit.note, request.user.name, "create", info.id, name=info.name)
        return info

    @get("/{environment_id:str}", guards=[require_permission(Verb.READ)])
    async def show(self, request: ServiceRequest, environment_id: FromPath[str]) -> EnvironmentInfo:
        return await environment_of(request, environment_id)

    @patch("/{environment_id:str}", guards=[require_permission(Verb.EDIT)])
    async def change(
        self, request: ServiceRequest, environment_id: FromPath[str], data: JSONBody[EnvironmentChange]
    ) -> EnvironmentInfo:
        """Another name, or other leave."""
        service, info = service_of(request), await environment_of(request, environment_id)
        if data.trust is not UNSET:
            trust = _check_trust(request, data.trust)
            await asyncio.to_thread(service.environments.allow, info.id, trust)
            await asyncio.to_thread(
                service.audit.note, request.user.name, "trust", info.id, words=", ".join(trust)
            )
        if data.name is not UNSET:
            await asyncio.to_thread(service.environments.rename, info.id, data.name)
        return await environment_of(request, environment_id)

    @delete("/{environment_id:str}", guards=[require_permission(Verb.EDIT)])
    async def remove(self, request: ServiceRequest, environment_id: FromPath[str]) -> None:
        """Only one of which nothing is deployed any more: destroy it first."""
        service, info = service_of(request), await environment_of(request, environment_id)
        await asyncio.to_thread(service.refuse_removal, info)
        await asyncio.to_thread(service.remove, info)
        await asyncio.to_thread(service.audit.note, request.user.name, "delete", info.id, name=info.name)


def _check_trust(request: ServiceRequest, words: tuple[str, ...]) -> tuple[str, ...]:
    if not request.user.may(Verb.ADMIN):
        raise PermissionDeniedException(f"the token {request.user.name!r} may not give leave")
    try:
        return Trust.of(words).words
    except ValueError as error:
        raise UsageError(str(error)) from error


class FileRoutes(Controller):
    """List, read and write the files of an environment."""

    path = "/environments/{environment_id:str}/files"
    tags = ("environments",)

    @get(guards=[require_permission(Verb.READ)])
    async def list_files(self, request: ServiceRequest, environment_id: FromPath[str]) -> list[FileInfo]:
        info = await environment_of(request, environment_id)
        return await asyncio.to_thread(service_of(request).environments.files(info.id).all)

    @put(guards=[require_permission(Verb.EDIT)])
    async def replace(self, request: ServiceRequest, environment_id: FromPath[str]) -> EnvironmentInfo:
        """The files of a zip archive, and no others."""
        info, content = await _find_editable(request, environment_id), await request.body()
        files = await asyncio.to_thread(archive_files, content)
        environments = service_of(request).environments
        await asyncio.to_thread(environments.edit, info.id, lambda folder: folder.replace(files))
        return await environment_of(request, environment_id)

    @get("/{path:path}", guards=[require_permission(Verb.DEPLOY)], media_type="application/octet-stream")
    async def read(
        self, request: ServiceRequest, environment_id: FromPath[str], path: FromPath[str]
    ) -> bytes:
        """The content of one file. Files may hold passwords, so it takes the right to deploy them."""
        info = await environment_of(request, environment_id)
        content = await asyncio.to_thread(
            service_of(request).environments.files(info.id).read, _relative_path(path)
        )
        if content is None:
            raise NotFoundException(f"no file {_relative_path(path)!r}")
        return content

    @put("/{path:path}", guards=[require_permission(Verb.EDIT)])
    async def put(
        self, request: ServiceRequest, environment_id: FromPath[str], path: FromPath[str]
    ) -> EnvironmentInfo:
        """Write one file: the body is its content, byte for byte. With a `Content-Type` of `text/…` it must be UTF-8 text,
        and does not take the place of a binary file."""
        info, content = await _find_editable(request, environment_id), await request.body()
        as_text = request.content_type[0].startswith("text/")

        def write(folder: EnvironmentFiles) -> None:
            if as_text:
                folder.put_text(_relative_path(path), content)
            else:
                folder.put({_relative_path(path): content})

        await asyncio.to_thread(service_of(request).environments.edit, info.id, write)
        return await environment_of(request, environment_id)

    @delete("/{path:path}", guards=[require_permission(Verb.EDIT)])
    async def remove(
        self, request: ServiceRequest, environment_id: FromPath[str], path: FromPath[str]
    ) -> None:
        info = await _find_editable(request, environment_id)
        files = service_of(request).environments.files(info.id)
        if await asyncio.to_thread(files.read, _relative_path(path)) is None:
            raise NotFoundException(f"no file {_relative_path(path)!r}")
        environments = service_of(request).environments
        await asyncio.to_thread(environments.edit, info.id, lambda folder: _remove_file(folder, path))


def _remove_file(folder: EnvironmentFiles, path: str) -> None:
    folder.remove(_relative_path(path))


def _relative_path(path: str) -> str:
    return str(path).removeprefix("/")


async def _find_editable(request: ServiceRequest, environment_id: str) -> EnvironmentInfo:
    """Return the environment; raise an error while a job runs, since a deployment must not see half an
    edit.
    """
    info = await environment_of(request, environment_id)
    await asyncio.to_thread(service_of(request).refuse_edit, info)
    return info
