"""Requests to one cluster: paths of objects, the schema of the server, and failures in words for people."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.deployments.drivers.kubernetes.schema import Schemas
from sabir.errors import DeployError

if TYPE_CHECKING:
    import httpx2

__all__ = ["Api", "ApiFailure"]

_APPLY: Final = "application/apply-patch+yaml"
_MERGE: Final = "application/merge-patch+json"
_PASSING: Final = frozenset([429, 502, 503, 504])


class ApiFailure(Exception):
    """A request that the cluster refused, or that did not reach it."""

    def __init__(
        self, message: str, *, status: int = 0, reason: str = "", causes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message)
        self.message, self.status, self.reason, self.causes = message, status, reason, causes

    @property
    def passing(self) -> bool:
        """Whether the cause may pass by itself: nobody answered, or the server is busy."""
        return self.status == 0 or self.status in _PASSING

    @property
    def is_missing(self) -> bool:
        return self.status == 404


class Api:
    """The cluster as a place of objects that are JSON."""

    def __init__(self, client: httpx2.AsyncClient, *, namespace: str) -> None:
        self.client, self.namespace = client, namespace
        self._served: dict[str, dict[str, tuple[str, bool]]] = {}
        self._schemas: Schemas | None = None

    async def get(self, path: str, **params: str) -> dict[str, Any]:
        return await self._request("GET", path, params=params)

    async def text(self, path: str, **params: str) -> str:
        """What is there as a text: the log of a pod."""
        import httpx2

        try:
            response = await self.client.request("GET", path, params=params)
        except (httpx2.HTTPError, OSError) as error:  # OSError: an alert of TLS after the handshake
            raise ApiFailure(_unreached(error)) from error
        if not response.is_success:
            _answer(response)
        return response.text

    async def find(self, path: str) -> dict[str, Any] | None:
        """The object at a path; None when there is none."""
        try:
            return await self.get(path)
        except ApiFailure as failure:
            if failure.is_missing:
                return None
            raise

    async def apply(self, path: str, manifest: Mapping[str, Any], **params: str) -> dict[str, Any]:
        """Server-side apply. The answer is the whole object as it is afterwards."""
        return await self._request("PATCH", path, params=params, body=manifest, content=_APPLY)

    async def merge(self, path: str, patch: Mapping[str, Any], **params: str) -> dict[str, Any]:
        return await self._request("PATCH", path, params=params, body=patch, content=_MERGE)

    async def delete(self, path: str, options: Mapping[str, Any]) -> dict[str, Any]:
        return await self._request("DELETE", path, body=options)

    async def schemas(self) -> Schemas:
        if self._schemas is None:
            self._schemas = Schemas(await self.get("/openapi/v2"))
        return self._schemas

    async def check_access(self) -> str:
        """The version of the server; `DeployError` when it cannot be reached or refuses the credentials."""
        try:
            version = await self.get("/version")
            await self.get("/api")  # the version is told to anybody
        except ApiFailure as failure:
            raise DeployError(f"the cluster {self.client.base_url}: {failure.message}") from failure
        return str(version.get("gitVersion", "unknown"))

    async def path_of(self, manifest: Mapping[str, Any]) -> str:
        """Where an object is found. A namespaced one that names no namespace is in that of the target."""
        version, kind = str(manifest.get("apiVersion")), str(manifest.get("kind"))
        metadata = manifest.get("metadata") or {}
        plural, is_namespaced = await self._kind(version, kind)
        inside = f"/namespaces/{metadata.get('namespace') or self.namespace}" if is_namespaced else ""
        return f"{_root(version)}{inside}/{plural}/{metadata.get('name')}"

    async def is_namespaced(self, manifest: Mapping[str, Any]) -> bool:
        _, is_namespaced = await self._kind(str(manifest.get("apiVersion")), str(manifest.get("kind")))
        return is_namespaced

    async def _kind(self, version: str, kind: str) -> tuple[str, bool]:
        served = self._served.get(version)
        if served is None or kind not in served:  # a definition may have been added since it was asked
            served = self._served[version] = await self._kinds(version)
        if kind not in served:
            raise ApiFailure(f"the cluster serves no {kind} in {version}", status=404, reason="KindNotServed")
        return served[kind]

    async def _kinds(self, version: str) -> dict[str, tuple[str, bool]]:
        listed = await self.find(_root(version))
        resources = (listed or {}).get("resources", ())
        return {
            str(resource["kind"]): (str(resource["name"]), bool(resource["namespaced"]))
            for resource in resources
            if "/" not in resource["name"]  # status, scale and others belong to an object
        }

    async def _request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content: str = "application/json",
    ) -> dict[str, Any]:
        import httpx2

        try:
            response = await self.client.request(
                method,
                path,
                params=dict(params or {}),
                content=None if body is None else json.dumps(body).encode(),
                headers={"Content-Type": content, "Accept": "application/json"},
            )
        except (httpx2.HTTPError, OSError) as error:  # OSError: an alert of TLS after the handshake
            raise ApiFailure(_unreached(error)) from error
        return _answer(response)


def _root(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def _unreached(error: Exception) -> str:
    return f"it does not answer ({str(error) or type(error).__name__})"


def _answer(response: httpx2.Response) -> dict[str, Any]:
    answer = _json_object(response)
    if response.is_success:
        return answer
    causes = (answer.get("details") or {}).get("causes") or ()
    raise ApiFailure(
        _sentence(response.status_code, str(answer.get("message") or response.reason_phrase)),
        status=response.status_code,
        reason=str(answer.get("reason") or ""),
        causes=tuple(f"{cause.get('field', '')}: {cause.get('message', '')}" for cause in causes),
    )


def _json_object(response: httpx2.Response) -> dict[str, Any]:
    try:
        answer = response.json()
    except ValueError:
        answer = None
    return answer if isinstance(answer, dict) else {"message": response.text[:200]}


def _sentence(status: int, message: str) -> str:
    match status:
        case 401:
            return "it refuses the credentials: look at the user of the kubeconfig"
        case 403:
            return f"it does not allow this user to do that: {message}"
        case _:
            return message
