"""The command line that a job is."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec import Meta, Struct

from sabir.operations.parallel import SAFE_PATH

Verb = Literal["plan", "deploy", "destroy", "call", "resolve", "status"]
ACTING: Final = frozenset({"deploy", "destroy", "call", "resolve"})
"""Verbs that change something."""

SABIR: Final = (sys.executable, "-P", "-m", "sabir")
"""-P: where a process is started is no place to import from; files that were uploaded may lie there."""


def command_environment(**variables: str) -> dict[str, str]:
    """Return the environment of the service for a command: what is meant for its own processes is not for a project's scripts."""
    return {**{name: value for name, value in os.environ.items() if name != SAFE_PATH}, **variables}


Word = Annotated[str, Meta(min_length=1, max_length=1000, pattern=r"^[^\x00]+$")]


class JobRequest(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, omit_defaults=True):
    """What a job is to do. Fields are for the verbs that their words name."""

    verb: Verb
    allow_delete: Annotated[int, Meta(ge=0)] | Literal["all"] | None = None
    """deploy, destroy: consent to so many deletions. To destroy, it must be there."""
    then_remove: bool = False
    """destroy: forget the environment when nothing is left of it."""
    refresh: bool = False
    """plan, deploy: compare with the world, not only with what is recorded."""
    repair: bool = False
    """deploy: look at everything again, and put right what differs."""
    targets: tuple[Word, ...] = ()
    """plan, deploy, destroy: only these targets or resources, with what they need."""
    inputs: dict[Word, Any] = {}
    plan: dict[str, Any] | None = None
    """deploy: exactly this plan, or nothing."""
    operation: Word | None = None
    """call: INSTANCE.OPERATION."""
    arguments: dict[Word, Any] = {}
    """call: its arguments."""
    step: Word | None = None
    """resolve: which step."""
    outcome: Literal["done", "redo"] | None = None
    """resolve: it was done, or shall be done again."""

    def __post_init__(self) -> None:
        if self.verb == "destroy" and self.allow_delete is None:
            raise ValueError("to destroy, say allow_delete: how many, or all")
        if self.verb == "call" and self.operation is None:
            raise ValueError("to call, name the operation: INSTANCE.OPERATION")
        if self.verb == "resolve" and (self.step is None or self.outcome is None):
            raise ValueError("to resolve, name the step, and the outcome: done or redo")


class JobLocation(Struct, frozen=True, kw_only=True):
    """Where an environment is, and its state."""

    path: Path
    state: str
    environment: str
    trust: tuple[str, ...] = ()
    model: Path | None = None
    search_path: tuple[Path, ...] = ()


class JobInputFiles(Struct, frozen=True, kw_only=True):
    """Files that a process is given: what they hold may be secret, and every user of a machine sees the words of its processes."""

    plan: Path | None = None
    inputs: Path | None = None
    arguments: Path | None = None

    def write(self, request: JobRequest) -> None:
        for file, content in (
            (self.plan, request.plan),
            (self.inputs, request.inputs),
            (self.arguments, request.arguments),
        ):
            if file is not None:
                file.touch(mode=0o600)
                file.write_bytes(msgspec.json.encode(content))

    def remove(self) -> None:
        for file in (self.inputs, self.arguments):
            if file is not None:
                file.unlink(missing_ok=True)


def build_command(place: JobLocation, request: JobRequest, handed: JobInputFiles | None = None) -> list[str]:
    """The words of the process. What comes from a request stands behind `=` or `--`: it cannot become an option."""
    handed = handed or JobInputFiles()
    words = [*SABIR, request.verb]
    words += [f"--state={place.state}", f"--environment={place.environment}"]
    words += _list_options(place, request, handed)
    return [*words, "--", str(place.path), *_list_arguments(request, handed.plan)]


def _list_options(place: JobLocation, request: JobRequest, handed: JobInputFiles) -> Iterator[str]:
    verb = request.verb
    if verb == "resolve":
        yield f"--{request.outcome}"
        return
    yield "--format=json"
    yield from (f"--trust={word}" for word in place.trust)
    yield from (f"--search-path={folder}" for folder in place.search_path)
    if handed.inputs is not None:
        yield f"--input={handed.inputs}"
    if place.model is not None:
        yield f"--model={place.model}"
    if verb in ACTING:
        yield "--yes"
    if verb in ("deploy", "destroy") and request.allow_delete is not None:
        yield f"--allow-delete={request.allow_delete}"
    if verb in ("plan", "deploy", "destroy"):
        yield from (f"--target={name}" for name in request.targets)
    if verb in ("plan", "deploy") and request.refresh:
        yield "--refresh"
    if verb == "deploy" and request.repair:
        yield "--repair"
    if verb == "call" and handed.arguments is not None:
        yield f"--arg={handed.arguments}"


def _list_arguments(request: JobRequest, plan_file: Path | None) -> Iterator[str]:
    if request.verb == "deploy" and plan_file is not None:
        yield str(plan_file)
    if request.verb == "call":
        assert request.operation is not None, "the request was checked"
        yield request.operation
    if request.verb == "resolve":
        assert request.step is not None, "the request was checked"
        yield request.step
