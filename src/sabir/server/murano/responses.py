"""Response bodies of Murano's API: packages, environments, sessions and deployments."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import msgspec

from sabir.server.murano.models import PART, list_services
from sabir.server.service import SabirService
from sabir.server.store.catalogue import PackageInfo
from sabir.server.store.environments import EnvironmentInfo
from sabir.server.store.jobs import JobInfo, JobState
from sabir.server.store.murano import SessionInfo, SessionState
from sabir.server.work.commands import ACTING

_DEPLOYMENT: Final = {
    JobState.WAITING: "running",
    JobState.RUNNING: "running",
    JobState.DONE: "success",
}
_LEVELS: Final = {"failed": "error", "unknown": "error", "cancelled": "warning"}


def package_data(info: PackageInfo) -> dict[str, Any]:
    """Return a package with the keys that Murano's client expects."""
    return {
        "id": info.id,
        "name": info.name,
        "fully_qualified_name": info.full_name,
        "version": info.version,
        "type": info.type,
        "author": info.author,
        "description": info.description or "",
        "tags": list(info.tags),
        "categories": list(info.categories),
        "class_definitions": list(info.classes),
        "enabled": info.enabled,
        "is_public": info.public,
        "owner_id": info.owner,
        "supplier": {},
        "created": info.created,
        "updated": info.updated,
    }


def environment_data(service: SabirService, info: EnvironmentInfo) -> dict[str, Any]:
    """Return an environment as lists show it."""
    return {
        "id": info.id,
        "name": info.name,
        "status": _environment_status(service, info),
        "version": info.revision,
        "tenant_id": info.owner,
        "created": info.created,
        "updated": info.updated,
    }


def environment_detail(service: SabirService, info: EnvironmentInfo, model: Any) -> dict[str, Any]:
    """Return one environment with its applications."""
    return {**environment_data(service, info), "services": list_services(model)}


def live_model(service: SabirService, info: EnvironmentInfo) -> Any:
    """Return the model after the last deployment, with its actions; the written model if nothing is
    deployed.
    """
    storage = service.state(info.id).load_observations().get(f"{PART}/{info.id}|storage")
    match storage:
        case {"Objects": dict(objects)} if objects:
            from sabir.graph.json import encode_value

            return encode_value(objects)
        case _:
            return service.environments.model(info.id)


def _environment_status(service: SabirService, info: EnvironmentInfo) -> str:
    jobs = [job for job in service.jobs.of(info.id) if job.verb in ACTING]
    last = jobs[0] if jobs else None
    if last is not None and not last.state.is_final:
        return "deleting" if last.verb == "destroy" else "deploying"
    if any(session.state is SessionState.OPEN for session in service.sessions.of(info.id)):
        return "pending"
    if last is not None and last.state is not JobState.DONE:
        return "delete failure" if last.verb == "destroy" else "deploy failure"
    return "ready"


def session_data(service: SabirService, session: SessionInfo) -> dict[str, Any]:
    """Return a session; after its deployment the state is that of the job."""
    state = session.state.value
    job = next((job for job in service.jobs.of(session.environment) if job.session == session.id), None)
    if session.state is SessionState.DEPLOYING and job is not None and job.state.is_final:
        state = "deployed" if job.state is JobState.DONE else "deploy failure"
    return {
        "id": session.id,
        "environment_id": session.environment,
        "user_id": session.owner,
        "state": state,
        "version": session.revision,
        "created": session.created,
        "updated": session.updated,
    }


def list_deployments(service: SabirService, environment_id: str) -> list[dict[str, Any]]:
    """Return the jobs of an environment that changed something, as deployments."""
    return [deployment_data(job) for job in service.jobs.of(environment_id) if job.verb in ACTING]


def deployment_data(job: JobInfo) -> dict[str, Any]:
    """Return a job as a deployment, with Murano's names for its states."""
    return {
        "id": job.id,
        "environment_id": job.environment,
        "state": _DEPLOYMENT.get(job.state, "completed_w_errors"),
        "action": {"method": job.verb, **job.shown.arguments},
        "created": job.created,
        "started": job.started or job.created,
        "updated": job.ended or job.started or job.created,
        "finished": job.ended,
    }


def report_data(service: SabirService, job: JobInfo) -> Iterator[dict[str, Any]]:
    """Yield the messages of a job: reports of the program, and the outcomes of its steps."""
    file = service.running.files(job).output
    lines = file.read_bytes().splitlines() if file.exists() else []
    for number, line in enumerate(lines, 1):
        event = msgspec.json.decode(line)
        if event.get("event") == "end":
            continue
        entity, text = _split_message(event)
        yield {
            "id": f"{job.id}-{number}",
            "entity_id": entity,
            "entity": None,
            "text": text,
            "details": "\n".join(event.get("log", ())) or None,
            "level": _LEVELS.get(event["event"], "info"),
            "created": job.started or job.created,
            "updated": job.started or job.created,
        }
    if job.message:
        yield {
            "id": f"{job.id}-0",
            "entity_id": job.environment,
            "entity": None,
            "text": job.message,
            "details": None,
            "level": "error",
            "created": job.ended or job.created,
            "updated": job.ended or job.created,
        }


def _split_message(event: dict[str, Any]) -> tuple[str | None, str]:
    """Split a message into object and text: reports of a program start with the id of their object."""
    message = str(event.get("message") or "")
    if event["event"] == "note":
        entity, colon, text = message.partition(": ")
        return (entity, text) if colon else (None, message)
    address = str(event.get("address") or "")
    return address.rpartition("/")[2] or None, f"{event['event']} {message}".strip()
