"""Requests to one cluster: places of objects, the schema of the server, and failures in words for people.

What a server answers is taken for an object only when it has the shape of one, and is the one that was asked for.

Fields that the server does not know: server-side apply refuses an object because of one, so they are left out and told.

The server says what it knows in its OpenAPI document. Definitions are looked up by group, version and kind.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar
from urllib.parse import quote

import msgspec
from msgspec import Struct

from sabir.deployments.drivers.kubernetes.ownership import ContainedObject
from sabir.deployments.drivers.kubernetes.shapes import (
    GroupList,
    KindList,
    ListedMetadata,
    ObjectListShape,
    SchemaDocument,
    shape_of,
)
from sabir.deployments.drivers.responses import (
    InvalidResponseError,
    RequestError,
    ResponseTimeoutError,
    decode_json,
    describe_mismatch,
    read_response,
)
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError

if TYPE_CHECKING:
    import httpx2


_REFERENCE: Final = "#/definitions/"
_KEY_DEFAULTS: Final = {"protocol": "TCP"}
"""What the API takes for a key of list items that is not said."""


class Schemas:
    """The definitions of one server."""

    def __init__(self, document: Mapping[str, Any]) -> None:
        self._definitions: Mapping[str, Any] = document.get("definitions", {})
        self._by_kind = {
            kind: definition for definition in self._definitions.values() for kind in _list_kinds(definition)
        }

    def without_unknown(self, manifest: Mapping[str, Any]) -> tuple[dict[str, Any], tuple[str, ...]]:
        """The object as the server can take it, and the paths of what was left out."""
        group, _, version = str(manifest.get("apiVersion", "")).rpartition("/")
        definition = self._by_kind.get((group, version, str(manifest.get("kind"))))
        if definition is None:  # of a kind that is not described: the server alone can judge
            return dict(manifest), ()
        left_out: list[str] = []
        return self._filter_value(manifest, definition, "", left_out), tuple(left_out)

    def _filter_value(self, value: Any, schema: Mapping[str, Any], path: str, left_out: list[str]) -> Any:
        schema = self._resolve_reference(schema)
        if isinstance(value, Mapping):
            return self._filter_mapping(value, schema, path, left_out)
        items = schema.get("items")
        if isinstance(value, list) and isinstance(items, Mapping):
            keys = schema.get("x-kubernetes-list-map-keys")
            keys = keys if isinstance(keys, list) else []
            return [
                self._filter_value(_with_keys(item, keys), items, f"{path}[{index}]", left_out)
                for index, item in enumerate(value)
            ]
        return value

    def _filter_mapping(
        self, value: Mapping[str, Any], schema: Mapping[str, Any], path: str, left_out: list[str]
    ) -> Mapping[str, Any]:
        properties = schema.get("properties")
        others = schema.get("additionalProperties")
        is_open = schema.get("x-kubernetes-preserve-unknown-fields", False)
        if not isinstance(properties, Mapping):
            properties = {}
            is_open = is_open or not isinstance(others, Mapping)
        taken: dict[str, Any] = {}
        for key, item in value.items():
            inner = f"{path}.{key}" if path else key
            schema = properties.get(key, others)
            if isinstance(schema, Mapping):
                taken[key] = self._filter_value(item, schema, inner, left_out)
            elif is_open:
                taken[key] = item
            else:
                left_out.append(inner)
        return taken

    def _resolve_reference(self, schema: Mapping[str, Any]) -> Mapping[str, Any]:
        reference = schema.get("$ref")
        if not isinstance(reference, str):
            return schema
        definition: Mapping[str, Any] = self._definitions.get(reference.removeprefix(_REFERENCE), {})
        return definition


def _with_keys(item: Any, keys: Sequence[str]) -> Any:
    """An item of a list whose items are told apart by keys. Servers before 1.21 want each of them said."""
    if not isinstance(item, Mapping):
        return item
    return {**{key: default for key, default in _KEY_DEFAULTS.items() if key in keys}, **item}


def _list_kinds(definition: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    for kind in definition.get("x-kubernetes-group-version-kind", ()):
        yield kind["group"], kind["version"], kind["kind"]


T = TypeVar("T")

_JSON: Final = "application/json"
_APPLY: Final = "application/apply-patch+yaml"
_METADATA: Final = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
"""Lists of metadata; whole objects from a server that has none."""
_MERGE: Final = "application/merge-patch+json"
_LONGEST: Final = 2000
"""Characters of what a server says, at most."""
_PARALLEL_REQUESTS: Final = 16
"""Requests sent at a time. The others wait for their turn, and their timeout starts when they are sent."""


class KubernetesApiError(RequestError):
    """A request that the cluster refused, or that did not reach it."""

    def __init__(
        self, message: str, *, status: int = 0, reason: str = "", causes: tuple[str, ...] = ()
    ) -> None:
        super().__init__(message, status=status)
        self.reason, self.causes = reason, causes

    @property
    def is_missing(self) -> bool:
        return self.status == 404

    @property
    def is_outdated(self) -> bool:
        """The object was created, replaced or deleted since it was read; a conflict over fields names them."""
        return self.status == 409 and not self.causes


class ObjectPath(Struct, frozen=True, kw_only=True):
    """Where an object is found, and which one."""

    path: str
    version: str
    kind: str
    name: str
    namespace: str | None
    """None for kinds that are in no namespace."""


class KubernetesApi:
    """The cluster as a place of objects that are JSON."""

    def __init__(self, client: httpx2.AsyncClient, *, namespace: str, seconds: float) -> None:
        self.client, self.namespace, self.seconds = client, namespace, seconds
        self._served: dict[str, dict[str, tuple[str, bool]]] = {}
        self._schemas: Schemas | None = None
        self._turns = asyncio.Semaphore(_PARALLEL_REQUESTS)
        self._pending: dict[str, asyncio.Task[Any]] = {}

    async def get(self, place: ObjectPath) -> dict[str, Any]:
        return _check_object(await self._request("GET", place.path), place)

    async def find(self, place: ObjectPath) -> dict[str, Any] | None:
        """The object at a place; None when there is none."""
        try:
            return await self.get(place)
        except KubernetesApiError as failure:
            if failure.is_missing:
                return None
            raise

    async def items(self, path: str, kind: str, **params: str) -> list[dict[str, Any]]:
        """What a list of the kinds of the core holds; one page, which is all when no limit is asked for."""
        listed = await self._request("GET", path, params=params)
        _check_shape(listed, ObjectListShape, f"the list {path}")
        for item in listed["items"]:
            _check_shape(item, shape_of("v1", kind), f"a {kind} in the list {path}")
        items: list[dict[str, Any]] = listed["items"]
        return items

    async def contents(self, namespace: str) -> list[ContainedObject]:
        """The metadata of all objects in a namespace, of all kinds that can be listed."""
        lists = await asyncio.gather(
            *(
                self._contained(version, plural, kind, namespace)
                for version, plural, kind in await self._listable_kinds()
            ),
            return_exceptions=True,
        )
        found: list[ContainedObject] = []
        for each in lists:
            if isinstance(each, BaseException):
                raise each
            found += each
        return found

    async def _listable_kinds(self) -> list[tuple[str, str, str]]:
        """`apiVersion`, name and kind of everything in namespaces that can be listed; each in one version of its group."""
        found: dict[tuple[str, str], tuple[str, str, str]] = {}
        groups = await self._request("GET", "/apis")
        _check_shape(groups, GroupList, "the list of its groups")
        preferred = [group.get("preferredVersion") or {} for group in groups.get("groups", ())]
        others = [version for group in groups.get("groups", ()) for version in group.get("versions", ())]
        versions = [each["groupVersion"] for each in (*preferred, *others) if each]
        for version in dict.fromkeys(["v1", *versions]):
            listed = await self._request("GET", _api_root(version))
            _check_shape(listed, KindList, f"the list of the kinds of {version}")
            for kind in listed.get("resources", ()):
                is_listable = kind["namespaced"] and "list" in kind.get("verbs", ())
                if is_listable and "/" not in kind["name"]:
                    key = version.rpartition("/")[0], kind["name"]
                    found.setdefault(key, (version, kind["name"], kind["kind"]))
        return [*found.values()]

    async def _contained(self, version: str, plural: str, kind: str, namespace: str) -> list[ContainedObject]:
        path = f"{_api_root(version)}/namespaces/{_quote_segment(namespace)}/{_quote_segment(plural)}"
        try:
            listed = await self._request("GET", path, accept=_METADATA)
        except KubernetesApiError as failure:
            if failure.is_missing:  # the kind was removed since it was listed
                return []
            raise KubernetesApiError(f"{plural}: {failure.message}", status=failure.status) from failure
        _check_shape(listed, ListedMetadata, f"the list {path}")
        group = version.rpartition("/")[0]
        return [ContainedObject(group, kind, item["metadata"]) for item in listed["items"] or ()]

    async def text(self, path: str, **params: str) -> str:
        """What is there as a text: the log of a pod."""
        request = self.client.build_request("GET", path, params=params, headers={"Accept": _JSON})
        return (await self._answer(request)).decode("utf-8", "replace")

    async def apply(self, place: ObjectPath, manifest: Mapping[str, Any], **params: str) -> dict[str, Any]:
        """Server-side apply. The answer is the whole object as it is afterwards."""
        return _check_object(
            await self._request("PATCH", place.path, params=params, body=manifest, content=_APPLY), place
        )

    async def create(self, place: ObjectPath, manifest: Mapping[str, Any], **params: str) -> dict[str, Any]:
        """Create an object; a conflict when there is one of this name."""
        path = place.path.rpartition("/")[0]
        return _check_object(await self._request("POST", path, params=params, body=manifest), place)

    async def merge(self, place: ObjectPath, patch: Mapping[str, Any], **params: str) -> dict[str, Any]:
        return _check_object(
            await self._request("PATCH", place.path, params=params, body=patch, content=_MERGE), place
        )

    async def delete(self, place: ObjectPath, options: Mapping[str, Any]) -> None:
        await self._request("DELETE", place.path, body=options)

    async def schemas(self) -> Schemas:
        if self._schemas is None:
            self._schemas = await self._share("/openapi/v2", self._read_schemas)
        return self._schemas

    async def _read_schemas(self) -> Schemas:
        document = await self._request("GET", "/openapi/v2")
        _check_shape(document, SchemaDocument, "the description of its kinds")
        return Schemas(document)

    async def _share(self, key: str, read: Callable[[], Coroutine[Any, Any, T]]) -> T:
        """The result of a read that many callers ask for at the same time; it is requested once, also when it fails."""
        task: asyncio.Task[T] | None = self._pending.get(key)
        if task is None:
            task = self._pending[key] = asyncio.create_task(read())
            task.add_done_callback(lambda _: self._pending.pop(key))
        return await asyncio.shield(task)

    async def check_access(self) -> str:
        """The version of the server; `DeployError` when it cannot be reached or refuses the credentials."""
        try:
            version = await self._request("GET", "/version")
            await self._request("GET", "/api")  # the version is told to anybody
        except KubernetesApiError as failure:
            raise DeployError(f"the cluster {self.client.base_url}: {failure.message}") from failure
        return str(version.get("gitVersion", "unknown"))[:100]

    async def find_path(self, manifest: Mapping[str, Any]) -> ObjectPath:
        """Where an object is found. A namespaced one that names no namespace is in that of the target."""
        version, kind = str(manifest.get("apiVersion")), str(manifest.get("kind"))
        metadata = manifest.get("metadata") or {}
        plural, is_namespaced = await self._kind(version, kind)
        namespace = str(metadata.get("namespace") or self.namespace) if is_namespaced else None
        name = str(metadata.get("name"))
        inside = "" if namespace is None else f"/namespaces/{_quote_segment(namespace)}"
        path = f"{_api_root(version)}{inside}/{_quote_segment(plural)}/{_quote_segment(name)}"
        return ObjectPath(path=path, version=version, kind=kind, name=name, namespace=namespace)

    async def _kind(self, version: str, kind: str) -> tuple[str, bool]:
        served = self._served.get(version)
        if served is None or kind not in served:  # a definition may have been added since it was asked
            served = self._served[version] = await self._share(
                _api_root(version), lambda: self._kinds(version)
            )
        if kind not in served:
            raise KubernetesApiError(
                f"the cluster serves no {kind} in {version}", status=404, reason="KindNotServed"
            )
        return served[kind]

    async def _kinds(self, version: str) -> dict[str, tuple[str, bool]]:
        try:
            listed = await self._request("GET", _api_root(version))
        except KubernetesApiError as failure:
            if failure.is_missing:
                return {}
            raise
        _check_shape(listed, KindList, f"the list of the kinds of {version}")
        return {
            resource["kind"]: (resource["name"], resource["namespaced"])
            for resource in listed.get("resources", ())
            if "/" not in resource["name"]  # status, scale and others belong to an object
        }

    async def _request(
        self,
        method: str,
        path: str,
        *,
        params: Mapping[str, str] | None = None,
        body: Mapping[str, Any] | None = None,
        content: str = _JSON,
        accept: str = _JSON,
    ) -> dict[str, Any]:
        request = self.client.build_request(
            method,
            path,
            params=dict(params or {}),
            content=None if body is None else json.dumps(body).encode(),
            headers={"Content-Type": content, "Accept": accept},
        )
        data = await self._answer(request)
        try:
            answer = decode_json(data)
        except InvalidResponseError as error:
            raise KubernetesApiError(str(error), status=500) from error
        if not isinstance(answer, dict):
            raise KubernetesApiError("it answers with something that is no object", status=500)
        return answer

    async def _answer(self, request: httpx2.Request) -> bytes:
        import httpx2

        try:
            async with self._turns:
                response, data = await read_response(self.client, request, seconds=self.seconds)
        except InvalidResponseError as error:
            raise KubernetesApiError(
                str(error), status=0 if isinstance(error, ResponseTimeoutError) else 500
            ) from error
        except (httpx2.HTTPError, OSError) as error:  # OSError: an alert of TLS after the handshake
            raise KubernetesApiError(f"it does not answer ({explain_error(error)})") from error
        if not response.is_success:
            raise _build_error(response, data)
        return data


def _api_root(version: str) -> str:
    return f"/apis/{version}" if "/" in version else f"/api/{version}"


def _quote_segment(name: str) -> str:
    """A name as one part of a path, which it cannot lead out of."""
    if name in ("", ".", ".."):
        raise KubernetesApiError(f"{name!r} can be no name", status=400)
    return quote(name, safe="")


def _check_object(answer: dict[str, Any], place: ObjectPath) -> dict[str, Any]:
    """The answer when it is the object that was asked for."""
    subject = f"{place.kind} {place.name}"
    _check_shape(answer, shape_of(place.version, place.kind), subject)
    metadata = answer["metadata"]
    told = answer.get("kind"), metadata["name"], metadata.get("namespace")
    if told != (place.kind, place.name, place.namespace):
        named = " ".join(str(word)[:100] for word in told if word is not None)
        raise KubernetesApiError(f"asked for {subject}, it answers with another object: {named}", status=500)
    return answer


def _check_shape(data: Any, shape: type[Struct], subject: str) -> None:
    misfit = describe_mismatch(data, shape)
    if misfit is not None:
        raise KubernetesApiError(f"what it tells of {subject} cannot be: {misfit}", status=500)


class _Cause(Struct, frozen=True):
    field: str = ""
    message: str = ""


class _Details(Struct, frozen=True):
    causes: list[_Cause] | None = None


class _Status(Struct, frozen=True):
    """What a server says of a request that it refuses."""

    message: str | None = None
    reason: str | None = None
    details: _Details | None = None


def _build_error(response: httpx2.Response, content: bytes) -> KubernetesApiError:
    try:
        said = msgspec.convert(decode_json(content) or {}, _Status)
    except (InvalidResponseError, msgspec.MsgspecError):
        said = _Status(message=content[:200].decode("utf-8", "replace"))
    causes = (said.details and said.details.causes) or ()
    return KubernetesApiError(
        _describe_status(response, (said.message or response.reason_phrase)[:_LONGEST]),
        status=response.status_code,
        reason=said.reason or "",
        causes=tuple(f"{cause.field}: {cause.message}"[:_LONGEST] for cause in causes[:20]),
    )


def _describe_status(response: httpx2.Response, message: str) -> str:
    match response.status_code:
        case 401:
            return "it refuses the credentials: look at the user of the kubeconfig"
        case 403:
            return f"it does not allow this user to do that: {message}"
        case status if 300 <= status < 400:
            return f"it sends requests on to {response.headers.get('Location')}, where nobody follows: name that server"
        case _:
            return message
