"""Stored requests: the sources, inputs and observations of each deployment.

A deployment stores the files of its project, the files that were named in addition (a model, a
configuration), its inputs, and the facts known when it ended. So any query can be evaluated as of any
deployment, and every deployment can be rolled back to.
"""

from __future__ import annotations

import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Final

from msgspec import Struct
from msgspec.structs import replace

from sabir.deployments.store.requests import StoredRequest, encrypt_files
from sabir.deployments.store.row_checks import raise_damaged
from sabir.deployments.store.store import StateStore
from sabir.errors import DeployError, UsageError
from sabir.graph.address import digest_text
from sabir.graph.graph import Graph
from sabir.graph.observations import Sightings
from sabir.graph.values import Sensitive, Value, reveal_value
from sabir.languages.language import EvaluationRequest, IncludesFiles
from sabir.operations.deployment.environment import FOLDER, EnvironmentRequest, open_state
from sabir.operations.deployment.preparation import add_observations
from sabir.operations.evaluation import evaluate_path
from sabir.operations.packages import load_languages
from sabir.operations.revisions import make_named_folder
from sabir.session import Session
from sabir.source.packages import is_below
from sabir.source.private import make_private_directory, open_private, tighten
from sabir.text import Source

_LEFT_OUT: Final = frozenset({FOLDER, ".git", ".venv", "node_modules", "__pycache__"})
_MOST_FILES: Final = 5000
_MOST_BYTES: Final = 64 * 1024 * 1024


class ExternalFile(Struct, frozen=True, kw_only=True):
    """A file or directory that was named in addition to the project: a model, a configuration."""

    name: str | None = None
    """Its name among the stored files."""
    contents: Mapping[str, bytes] = {}
    """The content, if it is outside the project: without it an earlier deployment could not be evaluated."""
    missing: str | None = None
    lost_includes: tuple[str, ...] = ()
    """Files that a configuration includes from outside its directory: they are not stored."""

    @staticmethod
    def of(path: Path | None, root: Path, label: str) -> ExternalFile:
        if path is None:
            return ExternalFile()
        place = Path(os.path.abspath(path))
        inside = Path(os.path.relpath(place, root.absolute())).parts
        if not inside or inside[0] not in ("..", *_LEFT_OUT):
            return ExternalFile(name=str(Path(*inside)))
        # No project has files in this directory, so the name cannot clash.
        name = f"{FOLDER}/{label}/{place.name}"
        if os.path.isdir(place):
            contents, missing = contents_below(place)
            return ExternalFile(
                name=name,
                contents={f"{name}/{file}": data for file, data in contents.items()},
                missing=missing,
            )
        if not os.path.isfile(place):
            return ExternalFile(missing=f"{str(path)!r} was no file")
        contents, lost = _add_includes(place)
        below = f"{FOLDER}/{label}"
        return ExternalFile(
            name=name,
            contents={f"{below}/{file}": data for file, data in contents.items()},
            lost_includes=lost,
        )


def _add_includes(file: Path) -> tuple[dict[str, bytes], tuple[str, ...]]:
    """Return a configuration and the files it includes, by name relative to its directory, and the
    includes outside.
    """
    contents: dict[str, bytes] = {}
    lost: dict[str, None] = {}
    queue = [file]
    for included in queue:
        name = os.path.relpath(included, file.parent)
        if name in contents or not os.path.isfile(included):
            continue
        if not is_below(included, file.parent):
            lost[name] = None
            continue
        contents[name] = included.read_bytes()
        queue += [
            included.parent / other
            for other in _list_includes(Source(name, contents[name].decode("utf-8", "replace")))
        ]
    return contents, tuple(lost)


def _list_includes(configuration: Source) -> Iterator[str]:
    """Yield the included files. A configuration does not name its language, so the syntax of every
    language counts.
    """
    for language in load_languages().by_name.values():
        if isinstance(language, IncludesFiles):
            yield from language.list_included_files(configuration)


def contents_below(root: Path) -> tuple[dict[str, bytes], str | None]:
    """Return the files in a directory; also a reason if there are too many to store."""
    contents: dict[str, bytes] = {}
    size = 0
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _LEFT_OUT)
        for name in sorted(names):
            file = Path(folder, name)
            if file.is_symlink() or not file.is_file():
                continue
            size += file.stat().st_size
            if len(contents) >= _MOST_FILES or size > _MOST_BYTES:
                return {}, f"there are more than {_MOST_FILES} files, or {_MOST_BYTES >> 20} MB, beside it"
            contents[str(file.relative_to(root))] = file.read_bytes()
    return contents, None


_NO_KEY: Final = "there was no key to seal them with (SABIR_KEY, or --key-file)"


def has_state(request: EnvironmentRequest) -> bool:
    """Tell whether there is a state to read: one that is named, or the file in the project."""
    return request.state is not None or (request.folder / FOLDER / "state.db").is_file()


@contextmanager
def restore_request(
    request: EnvironmentRequest, at: int | None = None, *, lasting: bool = False
) -> Generator[EnvironmentRequest]:
    """Yield the request completed from the state: with its facts, or with `at`, with the stored request of
    deployment N.

    Stored files exist until the context ends. With `lasting` they are kept, for recorded commands that undo
    later what is applied now.
    """
    if at is None and not has_state(request):
        yield request
        return
    with open_state(request, create=False) as store:
        if at is None:
            yield replace(request, evaluation=add_observations(request.evaluation, store.snapshot()))
            return
        wish = store.read_request(at)
        past = (
            _make_history_folder(request, at) if lasting else make_named_folder(request.folder, "sabir-past-")
        )
        with past as folder:
            _write_files(store, wish, folder, at)
            yield _apply_stored_request(request, store, wish, folder, at)


@contextmanager
def _make_history_folder(request: EnvironmentRequest, at: int) -> Generator[Path]:
    home = Path(os.path.abspath(request.folder))
    past = home / FOLDER / "past"
    # The files contain decrypted secrets: they are for their owner only.
    make_private_directory(past)
    tighten(past)
    # Components may be named after their directory, so its name must be the same.
    folder = past / str(at) / home.name
    make_private_directory(folder)
    yield folder


def load_deployed_graph(path: Path, session: Session) -> Graph:
    """Return the graph of another environment as of its last deployment, with its facts."""
    request = EnvironmentRequest(path=path, evaluation=EvaluationRequest(session=session))
    if not has_state(request):
        raise UsageError(f"nothing is deployed at {str(path)!r}")
    with open_state(request, create=False) as store:
        numbers = [each.number for each in store.deployments() if each.verb == "deploy"]
        if not numbers or not store.records():
            raise UsageError(f"nothing is deployed at {str(path)!r}")
    with restore_request(request, numbers[-1]) as wished:
        return evaluate_path(wished.path, wished.evaluation, language=wished.language).evaluation.graph


def _apply_stored_request(
    request: EnvironmentRequest, store: StateStore, wish: StoredRequest, folder: Path, at: int
) -> EnvironmentRequest:
    if wish.settings is None:
        raise DeployError(f"the inputs of deployment {at} were not kept: there was no key to seal them with")
    subject = f"the inputs of deployment {at}"
    settings = store.codec.read(wish.settings, subject)
    kept = {name: reveal_value(value) for name, value in settings.items()}
    for name in ("inputs", "overrides", "model", "config"):
        if name not in kept:
            raise_damaged(subject, f"{name!r} is missing")
    observed, notes = store.load_observations_at(at)
    _report_lost_includes(request, kept, at)
    evaluation = replace(
        request.evaluation,
        inputs={**_as_mapping(kept["inputs"]), **request.evaluation.inputs},
        overrides={**_as_mapping(kept["overrides"]), **request.evaluation.overrides},
        model=_resolve_external(kept["model"], folder, at) or request.evaluation.model,
        config=_resolve_external(kept["config"], folder, at) or request.evaluation.config,
        search_path=request.evaluation.search_path or _search_path(kept, folder, at),
        observed=observed,
        sightings=Sightings(notes=notes),
    )
    return replace(
        request,
        path=_resolve_inside(folder, wish.path, at) if wish.path else folder,
        home=request.folder,
        environment=store.environment,
        language=request.language or wish.language,
        evaluation=evaluation,
    )


def _as_mapping(value: Value) -> Mapping[str, Value]:
    return value if isinstance(value, Mapping) else {}


def _resolve_external(name: Value, folder: Path, at: int) -> Path | None:
    return _resolve_inside(folder, name, at) if isinstance(name, str) else None


def _search_path(kept: Mapping[str, Value], folder: Path, at: int) -> tuple[Path, ...]:
    lost = kept.get("lost_search_path")
    if lost is not None:
        # Without the file, or with its current content, the result would not be that of the deployment.
        raise DeployError(
            f"the search path of deployment {at} was not kept: {lost}: say with --search-path where it is"
        )
    names = kept.get("search_path")
    if not isinstance(names, Sequence):
        return ()  # older versions of sabir stored none
    return tuple(_resolve_inside(folder, str(name), at) for name in names)


def _report_lost_includes(request: EnvironmentRequest, kept: Mapping[str, Value], at: int) -> None:
    names, tell = kept.get("lost_includes"), request.evaluation.on_notice
    if tell is not None and isinstance(names, Sequence) and names:
        words = ", ".join(map(str, names))
        tell(
            f"the configuration of deployment {at} included files from outside of its folder, which were not kept: {words}"
        )


def _resolve_inside(folder: Path, name: str, at: int) -> Path:
    """Return a stored file of the project; raise an error for a path outside.

    Names are not encrypted, so anyone who can write the state can change them.
    """
    file = folder / name
    if not file.resolve().is_relative_to(folder.resolve()):
        raise_damaged(f"what deployment {at} was asked for", f"the file {name!r} leads out of its folder")
    return file


def _write_files(store: StateStore, wish: StoredRequest, folder: Path, at: int) -> None:
    if wish.missing is not None:
        raise DeployError(f"the files of deployment {at} were not kept: {wish.missing}")
    for name, data in store.files(wish).items():
        file = _resolve_inside(folder, name, at)
        make_private_directory(file.parent)
        with os.fdopen(open_private(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC), "wb") as opened_file:
            tighten(file)
            opened_file.write(data)


def capture_request(request: EnvironmentRequest, store: StateStore) -> tuple[StoredRequest, dict[str, bytes]]:
    """Return the current request, and the contents of its files by digest."""
    root = request.path if request.path.is_dir() else request.path.parent
    evaluation = request.evaluation
    model = ExternalFile.of(evaluation.model, root, "model")
    config = ExternalFile.of(evaluation.config, root, "config")
    searched = [
        ExternalFile.of(place, root, f"search-path-{number}")
        for number, place in enumerate(evaluation.search_path)
    ]
    lost = next(
        (
            f"{place}: {each.missing}"
            for place, each in zip(evaluation.search_path, searched, strict=True)
            if each.missing
        ),
        None,
    )
    contents, missing = contents_below(root)
    missing = missing or model.missing or config.missing
    for named in (model, config, *(() if lost else searched)):
        contents |= named.contents
    try:
        files, blobs = encrypt_files(contents, store.codec.sealer)
    except DeployError:
        files, blobs, missing = {}, {}, _NO_KEY
    settings: dict[str, Value] = {
        "inputs": dict(evaluation.inputs),
        "overrides": dict(evaluation.overrides),
        "model": model.name,
        "config": config.name,
        "search_path": None if lost else [each.name for each in searched],
        "lost_search_path": lost,
        "lost_includes": list(config.lost_includes),
    }
    wish = StoredRequest(
        path="" if request.path.is_dir() else request.path.name,
        files=files,
        digest=digest_text(*(word for pair in sorted(files.items()) for word in pair), size=16)
        if files
        else "",
        missing=missing,
        settings=_encrypt_settings(settings, store),
        language=request.language,
        here=request.here,
    )
    return wish, blobs


def _encrypt_settings(settings: Mapping[str, Value], store: StateStore) -> str | None:
    """Encrypt the inputs, which may be secrets. Without a key they are not stored, unless there are none."""
    if not any(settings.values()):
        return store.codec.write(settings)
    try:
        return store.codec.write({name: Sensitive(value) for name, value in settings.items()})
    except DeployError:
        return None
