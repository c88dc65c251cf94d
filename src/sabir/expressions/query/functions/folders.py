"""get_dir and abspath: named folders of an instance (spec 004, "get_dir")."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from sabir.expressions.query.access import base_directory, may_write, normalize_path, temporary_directory
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.errors import NOT_FOUND, expression_rule
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.registry import Function, table
from sabir.expressions.query.session import DeploymentJob
from sabir.expressions.query.values import is_sensitive, mark_sensitive, reveal_deep

NO_TASK: Final = expression_rule(
    "EXPR:E013",
    title="a folder that exists only in a job",
    why="operation and workflow name folders of a running deployment; while a template is only read there are none.",
)

LOCATIONS = (
    ".",
    "src",
    "artifacts",
    "local",
    "secrets",
    "tmp",
    "tasks",
    "operation",
    "workflow",
    "spec.src",
    "spec.home",
    "spec.local",
    "project",
    "unfurl.home",
)


def get_dir(call: FunctionCall, context: QueryContext) -> Any:
    location, make = _read_arguments(call, context, 1)
    found = find_directory(location[0], call, context)
    if found is None:
        return None
    if make:
        _make_directory(found, call, context)
    return str(found)


def resolve_abspath(call: FunctionCall, context: QueryContext) -> Any:
    (path, *location), make = _read_arguments(call, context, 2)
    base: Path | None = base_directory(context)
    if location and location[0] is not None:
        base = find_directory(location[0], call, context)
        if base is None:
            call.fail(
                context,
                f"there is no folder {location[0]!r}",
                NOT_FOUND,
                "a folder is one of " + ", ".join(LOCATIONS) + " or a repository",
            )
    assert base is not None
    found = normalize_path(path, base)
    if make:
        _make_directory(found.parent if location else found, call, context)
    return mark_sensitive(str(found)) if is_sensitive(call.value(context)) else str(found)


def _read_arguments(call: FunctionCall, context: QueryContext, texts: int) -> tuple[list[Any], bool]:
    """The leading texts of the argument and whether the folder is to be made."""
    value = reveal_deep(call.value(context))
    items = list(value) if isinstance(value, list) else [value]
    make = bool(items[texts]) if len(items) > texts else False
    items = items[:texts]
    if not items or not all(
        isinstance(item, str) or (item is None and position) for position, item in enumerate(items)
    ):
        call.fail(context, f"{call.function.name} needs a path or a list that begins with one")
    return items, make


def _make_directory(path: Path, call: FunctionCall, context: QueryContext) -> None:
    may_write(path, call, context).mkdir(parents=True, exist_ok=True)


def find_directory(location: str, call: FunctionCall, context: QueryContext) -> Path | None:
    """The absolute path of a named folder; None when there is none of this name."""
    project = context.session.project
    base = base_directory(context)
    instance = context.resource
    while instance.kind != "instance" and (above := instance.source or instance.parent) is not None:
        instance = above
    name, template = _safe_name(instance.name), _safe_name(instance.template_name)
    match location:
        case "." | "":
            return base
        case "src":
            return context.directory or base
        case "artifacts" | "local" | "secrets":
            return base / location / name
        case "tmp" if project.job is not None:
            return base / "tmp" / name  # the same in each run, so that it is no change of what reads it
        case "tmp":
            path = temporary_directory() / name
            path.mkdir(parents=True, exist_ok=True)
            return path
        case "tasks" | "operation" | "workflow":
            return _job_folder(location, name, call, context)
        case "spec.src":
            return instance.source_directory or base
        case "spec.home":
            return base / "spec" / template
        case "spec.local":
            return base / "spec" / template / "local"
        case "project":
            return project.root or base
        case "unfurl.home":
            return project.home
        case _:
            return project.repositories.get(location)


def _job_folder(location: str, name: str, call: FunctionCall, context: QueryContext) -> Path:
    """The folders of a job; a plan that no job runs yet has only tasks."""
    base, job = base_directory(context), context.session.project.job
    if job is None:
        if location == "tasks":
            return base / "planned" / "tasks" / name
        call.fail(
            context,
            f"the folder {location!r} exists only while a job runs",
            NO_TASK,
            "ask for it in an input of an operation, or in a property that such an input reads",
        )
    path = _path_in_job(location, job, name)
    if path is None:
        call.fail(context, f"this job has no {location}", NO_TASK)
    return base / path


def _path_in_job(location: str, job: DeploymentJob, name: str) -> Path | None:
    part = {"operation": job.operation, "workflow": job.workflow}.get(location, "")
    if part is None:
        return None
    top = Path("jobs", _safe_name(job.id), location)
    return top / _safe_name(part) / name if part else top / name


def folders_of_job(job: DeploymentJob, instance: str, template: str) -> dict[str, Path]:
    """What a job may be asked to make for an instance: by location, from the directory of the ensemble."""
    name, spec = _safe_name(instance), Path("spec", _safe_name(template))
    paths = {location: _path_in_job(location, job, name) for location in ("tasks", "operation", "workflow")}
    return {
        **{location: path for location, path in paths.items() if path is not None},
        **{location: Path(location, name) for location in ("artifacts", "local", "secrets", "tmp")},
        "spec.home": spec,
        "spec.local": spec / "local",
    }


def _safe_name(name: str) -> str:
    """A name as one part of a path: it can neither climb nor descend."""
    safe = name.replace("/", "_").replace("\\", "_").replace("\0", "_")
    return safe if safe.strip(".") else "_" * max(len(safe), 1)


FUNCTIONS: Final = table(
    Function("get_dir", get_dir),
    Function("abspath", resolve_abspath),
)
