"""Doors that answers come in by: an honest server for each, the project that asks it, and where it may lie."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec import Struct

from tests.hostile.answers.liar import Asked, Truth

__all__ = ["DOORS", "HEAT", "HTTP", "KEYSTONE", "KUBERNETES", "KUBERNETES_SECRET", "VAULT", "Door"]

_ENVIRONMENT: Final = "name: demo\nparts:\n  f: {path: resources.yaml}\n"
_PROJECT: Final = "0123456789abcdef0123456789abcdef"


class Door(Struct, frozen=True, kw_only=True, eq=False):
    name: str
    truth: Truth
    lies_at: Callable[[Asked], bool]
    """The look that lies are told to."""
    changes_at: Callable[[Asked], bool] | None = None
    """The change that they are told to."""
    files: Mapping[str, str]
    """URL stands for the server."""
    words: tuple[str, ...] = ("deploy", "PATH", "--yes")
    variables: Mapping[str, str] = {}


def _resource(kind: str, fields: str) -> str:
    return f"sabir: resources/1\nresources:\n  a: {{kind: {kind}, target: k, fields: {fields}}}\n"


def _target(settings: str) -> str:
    return f"{_ENVIRONMENT}targets: {{k: {{retries: 0, {settings}}}}}\n"


def _kubernetes(asked: Asked) -> tuple[int, Any, Mapping[str, str]]:
    kinds = [
        {"name": "configmaps", "kind": "ConfigMap", "namespaced": True},
        {"name": "secrets", "kind": "Secret", "namespaced": True},
    ]
    match asked.method, asked.path.partition("?")[0]:
        case _, "/version":
            return 200, {"gitVersion": "v1.30.0"}, {}
        case _, "/api":
            return 200, {"versions": ["v1"]}, {}
        case _, "/openapi/v2":
            return 200, {"definitions": {}}, {}
        case _, "/api/v1":
            return 200, {"resources": kinds}, {}
        case "GET", _:
            return 404, {"kind": "Status", "reason": "NotFound", "message": "there is none"}, {}
    metadata = {**asked.body["metadata"], "namespace": "default", "uid": "u1"}
    return 200, {**asked.body, "metadata": metadata}, {}


_KUBECONFIG: Final = """\
apiVersion: v1
kind: Config
current-context: c
contexts: [{name: c, context: {cluster: c, user: u}}]
clusters: [{name: c, cluster: {server: "URL"}}]
users: [{name: u, user: {token: a-token}}]
"""
_MANIFEST: Final = "{manifest: {apiVersion: v1, kind: ConfigMap, metadata: {name: a}, data: {x: y}}}"

KUBERNETES: Final = Door(
    name="Kubernetes",
    truth=_kubernetes,
    lies_at=lambda asked: asked.method == "GET" and "/configmaps/" in asked.path,
    changes_at=lambda asked: asked.method == "PATCH",
    files={
        "sabir.yaml": _target("driver: kubernetes, kubeconfig: config, timeout_seconds: 2"),
        "resources.yaml": _resource("kubernetes", _MANIFEST),
        "config": _KUBECONFIG,
    },
)


def _service(asked: Asked) -> tuple[int, Any, Mapping[str, str]]:
    if asked.method == "POST":
        return 201, {"id": "7", "name": "x"}, {}
    return (200, [], {}) if asked.path == "/v1/users" else (404, {}, {})


HTTP: Final = Door(
    name="HTTP service",
    truth=_service,
    lies_at=lambda asked: asked.method == "GET" and "/users" in asked.path,
    changes_at=lambda asked: asked.method == "POST",
    files={
        "sabir.yaml": _target("driver: http, url: 'URL/v1', token: a-token, timeout_seconds: 2"),
        "resources.yaml": _resource(
            "http", "{path: '/users/{id}', collection: /users, find_by: [name], body: {name: x}}"
        ),
    },
    words=("deploy", "PATH", "--yes", "--trust", "network", "--trust", "private-network"),
)


def _cloud(asked: Asked) -> tuple[int, Any, Mapping[str, str]]:
    path = asked.path.partition("?")[0].rstrip("/")
    if path in ("", "/v3"):
        version = {"id": "v3.14", "status": "stable", "links": [{"rel": "self", "href": f"{asked.url}/v3/"}]}
        return 200, {"version": version} if path else {"versions": {"values": [version]}}, {}
    if path == "/v3/auth/tokens":
        return 201, {"token": token(f"{asked.url}/heat/v1/{_PROJECT}")}, {"X-Subject-Token": "a-token"}
    if path.endswith("/stacks/preview"):
        return 200, {"stack": {}}, {}
    if asked.method == "POST":
        return 201, {"stack": {"id": "s1"}}, {}
    if path.endswith("/stacks"):
        return 200, {"stacks": []}, {}
    return 404, {"error": {"message": "there is none"}}, {}


def token(heat: str) -> dict[str, Any]:
    """A token whose catalogue names this Heat."""
    endpoints = [{"interface": "public", "region": "here", "region_id": "here", "url": heat}]
    domain = {"id": "default", "name": "Default"}
    return {
        "catalog": [{"type": "orchestration", "name": "heat", "endpoints": endpoints}],
        "expires_at": "2100-01-01T00:00:00Z",
        "issued_at": "2000-01-01T00:00:00Z",
        "methods": ["password"],
        "project": {"id": _PROJECT, "name": "admin", "domain": domain},
        "user": {"id": "admin", "name": "admin", "domain": domain},
    }


_CLOUDS: Final = """\
clouds:
  c:
    region_name: here
    auth: {auth_url: URL/v3, username: u, password: p, project_name: p, user_domain_id: default, project_domain_id: default}
"""
_CLOUD_FILES: Final = {
    "sabir.yaml": _target(
        "driver: openstack-heat, cloud: c, clouds_file: clouds.yaml, timeout_seconds: 2, wait_seconds: 2"
    ),
    "resources.yaml": _resource(
        "heat-stack", "{name: s, template: {heat_template_version: '2018-08-31', resources: {}}}"
    ),
    "clouds.yaml": _CLOUDS,
}

HEAT: Final = Door(
    name="Heat",
    truth=_cloud,
    lies_at=lambda asked: asked.method == "GET" and "/stacks/" in asked.path,
    changes_at=lambda asked: asked.method == "POST" and asked.path.endswith("/stacks"),
    files=_CLOUD_FILES,
)
KEYSTONE: Final = Door(
    name="Keystone",
    truth=_cloud,
    lies_at=lambda asked: asked.path == "/v3/auth/tokens",
    files=_CLOUD_FILES,
)


_SECRET: Final = "kind: file, fields: {path: out, content: {secret: s}}"


def _with_secret(source: str) -> dict[str, str]:
    return {
        "sabir.yaml": f"{_ENVIRONMENT}secrets: {{s: {source}}}\n",
        "resources.yaml": f"sabir: resources/1\nresources:\n  a: {{{_SECRET}}}\n",
    }


VAULT: Final = Door(
    name="Vault",
    truth=lambda _: (200, {"data": {"data": {"f": "v"}}}, {}),
    lies_at=lambda _: True,
    files=_with_secret("{vault: {path: p, field: f, timeout: 2}}"),
    variables={"VAULT_ADDR": "URL", "VAULT_TOKEN": "a-token"},
)
KUBERNETES_SECRET: Final = Door(
    name="secrets of Kubernetes",
    truth=_kubernetes,
    lies_at=lambda asked: "/secrets/" in asked.path,
    files={
        **_with_secret("{kubernetes: {name: n, key: k, kubeconfig: config, timeout: 2}}"),
        "config": _KUBECONFIG,
    },
)
DOORS: Final = (KUBERNETES, HTTP, HEAT, KEYSTONE, VAULT, KUBERNETES_SECRET)
