"""Requests for one environment: its project, its state and its name in the state."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from sabir.deployments.store.seal import KEY_VARIABLE
from sabir.deployments.store.store import StateStore
from sabir.environment import FILE_NAME
from sabir.environment.evaluate import load_environment
from sabir.errors import FindingError
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import load_package

FOLDER: Final = ".sabir"


class EnvironmentRequest(Struct, frozen=True, kw_only=True):
    """Which environment to work on, and where its state is."""

    path: Path
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    state: str | None = None
    """A file or a URL; None for `.sabir/state.db` in the project."""
    environment: str | None = None
    """The name in the state; None for the name of the project."""
    key_file: Path | None = None
    here: bool = False
    """Whether the default target is the whole machine instead of a directory."""
    executor: str | None = None
    """The scheduler of workers that reach targets which this machine cannot reach."""

    home: Path | None = None
    """The base of the state, the target directory and relative paths, if `path` is a copy of an earlier project."""

    @property
    def folder(self) -> Path:
        if self.home is not None:
            return self.home
        return self.path if self.path.is_dir() else self.path.parent


def environment_name(request: EnvironmentRequest) -> str:
    """Return the name in the state: the given one, the one in `sabir.yaml`, or the one of the path."""
    if request.environment is not None:
        return request.environment
    file = request.path / FILE_NAME if request.path.is_dir() else request.path
    if file.name == FILE_NAME and file.is_file():
        environment, findings = load_environment(load_package(request.path))
        if environment is None:
            # The name is in the file; a state under another name would never be found again.
            raise FindingError(findings)
        if environment.name != "environment":
            return environment.name
        return file.absolute().parent.name
    return request.path.absolute().name


@contextmanager
def open_state(request: EnvironmentRequest, *, create: bool) -> Generator[StateStore]:
    """Open the state of an environment; raise an error if it does not exist, unless `create` is set."""
    name = environment_name(request)
    where = request.state or str(request.folder / FOLDER / "state.db")
    key = request.evaluation.session.environment.get(KEY_VARIABLE)
    store = StateStore.open(where, name, create=create, key=key, key_file=request.key_file)
    try:
        yield store
    finally:
        store.close()
