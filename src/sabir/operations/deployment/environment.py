"""What plan, deploy, status and the commands beside them have in common: an environment with its state, targets and wishes."""

from __future__ import annotations

from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct, field

from sabir.deployments.store.records import RecordStatus
from sabir.deployments.store.seal import KEY_VARIABLE
from sabir.deployments.store.store import StateStore
from sabir.environment import FILE_NAME
from sabir.environment.evaluate import load_environment
from sabir.errors import FindingError
from sabir.languages.language import EvaluationRequest
from sabir.source.packages import load_package

FOLDER: Final = ".sabir"
_STATUSES: Final = {
    RecordStatus.PRESENT: "ok",
    RecordStatus.FAILED: "error",
    RecordStatus.UNKNOWN: "unknown",
}


class EnvironmentRequest(Struct, frozen=True, kw_only=True):
    """Which environment, and where its state is."""

    path: Path
    language: str | None = None
    evaluation: EvaluationRequest = field(default_factory=EvaluationRequest)
    state: str | None = None
    """A file or a URL; None: `.sabir/state.db` beside the description."""
    environment: str | None = None
    """The name in the state; None: what the description calls itself."""
    key_file: Path | None = None
    here: bool = False
    """The default target is this machine as a whole."""
    executor: str | None = None
    """Where the workers are that reach targets which this machine does not."""

    home: Path | None = None
    """Where the state, the world and relative names of targets are, when `path` is a copy of what was."""

    @property
    def folder(self) -> Path:
        if self.home is not None:
            return self.home
        return self.path if self.path.is_dir() else self.path.parent


def environment_name(request: EnvironmentRequest) -> str:
    """What the environment is called in its state: as it is told, as `sabir.yaml` says, or like its path."""
    if request.environment is not None:
        return request.environment
    file = request.path / FILE_NAME if request.path.is_dir() else request.path
    if file.name == FILE_NAME and file.is_file():
        environment, findings = load_environment(load_package(request.path))
        if environment is None:
            # Its name is in the file: what is remembered under another one would be nobody's.
            raise FindingError(findings)
        if environment.name != "environment":
            return environment.name
        return file.absolute().parent.name
    return request.path.absolute().name


@contextmanager
def open_state(request: EnvironmentRequest, *, create: bool) -> Generator[StateStore]:
    """The state of an environment."""
    name = environment_name(request)
    where = request.state or str(request.folder / FOLDER / "state.db")
    key = request.evaluation.session.environment.get(KEY_VARIABLE)
    store = StateStore.open(where, name, create=create, key=key, key_file=request.key_file)
    try:
        yield store
    finally:
        store.close()
