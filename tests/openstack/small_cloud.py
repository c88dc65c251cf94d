"""A cloud of one process for tests that run everywhere: as much of the Identity and Orchestration APIs as the driver speaks.

It holds to the published descriptions of both, and the same tests run against the real ones (`tests.openstack.cloud`), so that
neither it nor the driver can drift away from them. It can do what a real cloud does seldom: cut a connection after it has heard
a request, be busy, take its time.
"""

from __future__ import annotations

import json
import threading
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, urlsplit

from tests.openstack.cloud import CLOUDS, PASSWORD, Cloud

__all__ = ["SmallCloud", "small_cloud"]

_PROJECT = "0123456789abcdef0123456789abcdef"
_TOKEN = "a-token"


class SmallCloud:
    """The stacks, and how the cloud misbehaves."""

    def __init__(self) -> None:
        self.stacks: dict[str, dict[str, Any]] = {}
        self.created: list[str] = []
        """Names, in the order in which stacks were made."""
        self.cut_after: set[str] = set()
        """Methods whose next request is heard, and not answered."""
        self.refuse: dict[str, tuple[int, str]] = {}
        """Methods whose next request is refused, with status and words."""
        self.looks_until_done = 1
        """How often a stack is looked at while something is in progress."""
        self.fails: dict[str, str] = {}
        """Reasons by the names of stacks that do not come to be."""

    def alive(self, name_or_id: str) -> dict[str, Any] | None:
        for stack in reversed(self.stacks.values()):
            if name_or_id == stack["id"] or (name_or_id == stack["stack_name"] and not _is_gone(stack)):
                return stack
        return None

    def begin(self, stack: dict[str, Any], action: str) -> None:
        stack["stack_status"] = f"{action}_IN_PROGRESS"
        stack["left"] = self.looks_until_done
        self._event(stack)

    def look(self, stack: dict[str, Any]) -> None:
        """Time goes on whenever somebody looks."""
        if not stack["stack_status"].endswith("_IN_PROGRESS"):
            return
        stack["left"] -= 1
        if stack["left"] < 0:
            reason = self.fails.get(stack["stack_name"])
            stack["stack_status"] = stack["stack_status"].replace(
                "IN_PROGRESS", "FAILED" if reason else "COMPLETE"
            )
            stack["stack_status_reason"] = reason or "Stack operation completed successfully"
            self._event(stack)

    def outputs(self, stack: dict[str, Any]) -> dict[str, Any]:
        """Values of a stack's outputs."""
        return {name: f"value of {name}" for name in stack["template"].get("outputs") or ()}

    def _event(self, stack: dict[str, Any]) -> None:
        stack["events"].append(
            {
                "id": uuid.uuid4().hex,
                "resource_name": stack["stack_name"],
                "physical_resource_id": stack["id"],
                "resource_status": stack["stack_status"],
                "resource_status_reason": stack.get("stack_status_reason") or "state changed",
            }
        )


def _is_gone(stack: dict[str, Any]) -> bool:
    return bool(stack["stack_status"] == "DELETE_COMPLETE")


def _filled(stack: dict[str, Any], body: dict[str, Any], count: int) -> None:
    environment: dict[str, Any] = {
        "parameters": {},
        "parameter_defaults": {},
        "resource_registry": {"resources": {}},
    }
    environment.update(body.get("environment") or {})
    environment["parameters"] = {**environment["parameters"], **body.get("parameters", {})}
    stack.update(
        template=body["template"],
        environment=environment,
        files=body.get("files") or {},
        tags=[tag for tag in body.get("tags", "").split(",") if tag] or None,
        updated_time=str(count),
    )


def _shown(stack: dict[str, Any], outputs: dict[str, Any] | None) -> dict[str, Any]:
    names = ("id", "stack_name", "stack_status", "stack_status_reason", "tags", "updated_time")
    shown = {name: stack.get(name) for name in names}
    declared = stack["template"].get("parameters") or {}
    values = {
        **{name: spec.get("default") for name, spec in declared.items()},
        **stack["environment"]["parameters"],
    }
    shown["parameters"] = {
        name: "******" if declared.get(name, {}).get("hidden") else str(value)
        for name, value in values.items()
    }
    if outputs is not None:
        shown["outputs"] = [{"output_key": name, "output_value": value} for name, value in outputs.items()]
    return shown


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # an answer goes out in one piece
    cloud: SmallCloud
    base: str

    def log_message(self, *words: object) -> None:
        pass

    def answer(self) -> None:
        split = urlsplit(self.path)
        size = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(size)) if size else {}
        parts = [part for part in split.path.split("/") if part]
        if parts[:1] == ["v3"] or not parts:
            self._identity(parts, body)
        elif self.headers.get("X-Auth-Token") != _TOKEN:
            self._say(401, {})
        elif self.command in self.cloud.refuse:
            status, words = self.cloud.refuse.pop(self.command)
            self._say(status, {"error": {"message": words}})
        else:
            status, answer = self._orchestration(parts[3:], body, parse_qs(split.query))
            if self.command in self.cloud.cut_after:
                self.cloud.cut_after.remove(self.command)
                self.close_connection = True
                return
            self._say(status, answer)

    do_GET = do_POST = do_PUT = do_DELETE = answer  # noqa: N815  as the server looks for them

    def _identity(self, parts: list[str], body: dict[str, Any]) -> None:
        if parts != ["v3", "auth", "tokens"]:
            links = [{"rel": "self", "href": f"{self.base}/v3/"}]
            version = {"id": "v3.14", "status": "stable", "links": links}
            self._say(200, {"version": version} if parts else {"versions": {"values": [version]}})
        elif body["auth"]["identity"]["password"]["user"]["password"] != PASSWORD:
            self._say(401, {"error": {"message": "The request you have made requires authentication."}})
        else:
            urls = {"orchestration": f"{self.base}/heat/v1/{_PROJECT}", "identity": f"{self.base}/v3"}
            catalogue = [
                {
                    "type": kind,
                    "name": kind,
                    "endpoints": [{"interface": "public", "region": "here", "region_id": "here", "url": url}],
                }
                for kind, url in urls.items()
            ]
            token = {
                "catalog": catalogue,
                "expires_at": "2100-01-01T00:00:00Z",
                "issued_at": "2000-01-01T00:00:00Z",
                "methods": ["password"],
                "project": {"id": _PROJECT, "name": "admin", "domain": {"id": "default", "name": "Default"}},
                "user": {"id": "admin", "name": "admin", "domain": {"id": "default", "name": "Default"}},
            }
            self._say(201, {"token": token}, {"X-Subject-Token": _TOKEN})

    def _orchestration(
        self, parts: list[str], body: dict[str, Any], query: dict[str, list[str]]
    ) -> tuple[int, dict[str, Any]]:
        if parts[1:] in ([], ["preview"]):
            return self._stacks(parts, body)
        stack = self.cloud.alive(parts[-1] if len(parts) == 2 else parts[2])
        if stack is None:
            return 404, {"error": {"message": f"The Stack ({parts[1]}) could not be found."}}
        return self._stack(stack, parts[3:], body, query)

    def _stacks(self, parts: list[str], body: dict[str, Any]) -> tuple[int, dict[str, Any]]:
        cloud = self.cloud
        if self.command == "GET":
            return 200, {"stacks": []}
        if "heat_template_version" not in body["template"]:
            return 400, {"error": {"message": "Template format version not found."}}
        if parts[1:] == ["preview"]:
            return 200, {"stack": {"stack_name": body["stack_name"]}}
        if cloud.alive(body["stack_name"]) is not None:
            return 409, {"error": {"message": f"The Stack ({body['stack_name']}) already exists."}}
        stack: dict[str, Any] = {"id": str(uuid.uuid4()), "stack_name": body["stack_name"], "events": []}
        _filled(stack, body, 0)
        stack["updated_time"] = None
        cloud.stacks[stack["id"]] = stack
        cloud.created.append(stack["stack_name"])
        cloud.begin(stack, "CREATE")
        return 201, {"stack": {"id": stack["id"]}}

    def _stack(
        self, stack: dict[str, Any], rest: list[str], body: dict[str, Any], query: dict[str, list[str]]
    ) -> tuple[int, dict[str, Any]]:
        match self.command, rest:
            case "GET", []:
                outputs = None if "resolve_outputs" in query else self.cloud.outputs(stack)
                shown = _shown(stack, outputs)
                self.cloud.look(stack)
                return 200, {
                    "stack": {
                        **shown,
                        "stack_status": stack["stack_status"],
                        "stack_status_reason": stack.get("stack_status_reason"),
                    }
                }
            case "GET", ["events"]:
                ids = [event["id"] for event in stack["events"]]
                marker = query.get("marker", [""])[0]
                return 200, {"events": stack["events"][ids.index(marker) + 1 if marker in ids else 0 :]}
            case "GET", ["template" | "environment" | "files" as part]:
                return 200, stack[part]
            case "PUT", ["preview"]:
                before, after = (
                    template.get("resources") or {} for template in (stack["template"], body["template"])
                )
                changes = {
                    "added": [{"resource_name": name} for name in after if name not in before],
                    "deleted": [{"resource_name": name} for name in before if name not in after],
                    "updated": [
                        {"resource_name": name}
                        for name in after
                        if before.get(name, after[name]) != after[name]
                    ],
                }
                return 200, {"resource_changes": changes}
            case "PUT", []:
                _filled(stack, body, int(stack["updated_time"] or 0) + 1)
                self.cloud.begin(stack, "UPDATE")
                return 202, {}
            case "DELETE", []:
                self.cloud.begin(stack, "DELETE")
                return 204, {}
            case "POST", ["actions"]:
                self.cloud.begin(stack, next(iter(body)).upper())
                return 201, {}
            case _:
                return 404, {}

    def _say(self, status: int, answer: dict[str, Any], headers: dict[str, str] | None = None) -> None:
        data = b"" if status == 204 else json.dumps(answer).encode()
        self.send_response(status)
        for name, value in {"Content-Type": "application/json", **(headers or {})}.items():
            self.send_header(name, value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


@contextmanager
def small_cloud(folder: Path, cloud: SmallCloud) -> Iterator[Cloud]:
    class Handler(_Handler):
        pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        base = f"http://127.0.0.1:{server.server_port}"
        Handler.cloud, Handler.base = cloud, base
        (folder / "clouds.yaml").write_text(CLOUDS.format(keystone=f"{base}/v3", password=PASSWORD))
        thread = threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True)
        thread.start()
        try:
            yield Cloud(folder / "clouds.yaml")
        finally:
            server.shutdown()
            thread.join(10)
