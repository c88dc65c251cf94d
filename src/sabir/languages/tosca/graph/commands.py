"""Operations as commands, and the files that a command takes to another machine.

The inputs of a command are computed when it is about to run, because they may read outputs of operations that
run before it. A command on another machine takes its program, the dependencies of that program and the
artifacts of its node along. They are unpacked there into a private directory, in the layout that they have
next to the template. Local paths in inputs are rewritten to that directory, so that `get_artifact` returns
the path of the copy.
"""

from __future__ import annotations

import base64
import gzip
import io
import os
import tarfile
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from shlex import quote
from typing import Any, Final

import msgspec
from msgspec import Struct

from sabir.errors import DeployError
from sabir.expressions.query.dependents import TrackedCache
from sabir.expressions.query.errors import QueryError
from sabir.expressions.query.live import AssignedValue
from sabir.expressions.query.session import DeploymentJob
from sabir.graph.address import Address
from sabir.graph.origin import How, Origin
from sabir.graph.values import UNKNOWN, Sensitive, Unknown, Value, reveal_all
from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.entities import FileArtifact
from sabir.languages.tosca.evaluate.instances import NodeInstance
from sabir.languages.tosca.evaluate.observations import LiveObservations
from sabir.languages.tosca.graph.addresses import Subject, node_of
from sabir.languages.tosca.graph.execution import (
    INPUTS,
    attribute_address,
    build_command,
    build_variables,
    host_of,
    is_playbook,
    is_variable,
    login_of,
    program_of,
    target_of,
)
from sabir.languages.tosca.graph.jobs import Folders, in_job, job_of
from sabir.languages.tosca.graph.origins import plain_value
from sabir.languages.tosca.graph.read_order import ReadDependencies
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.languages.tosca.syntax.nodes import Implementation
from sabir.resources.resource import Lifecycle, Resource

_WORD: Final = 100_000
"""Files are sent as command-line arguments, which Linux limits to 128 KiB each and 2 MiB in total."""
_LARGEST: Final = 14 * _WORD
_THERE: Final = """\
umask 077
mkdir -p "$SABIR_MARK/files" || exit 125
printf %s "$@" | base64 -d | tar -xzf - -C "$SABIR_MARK/files" || exit 125
cd "$SABIR_MARK/files" || exit 125
__here=@HERE@
for __name in @NAMES@; do
  for __path in @PATHS@; do
    [ -z "${!__name+set}" ] || export "$__name=${!__name//"$__here/$__path"/$SABIR_MARK/files/$__path}"
  done
done
unset __name __path __here
"""


def wrap_remote_command(
    words: list[str],
    subject: Subject,
    implementation: Implementation,
    inputs: Collection[str],
    folders: Iterable[str] = (),
) -> list[str]:
    """Return the arguments of a command for another machine, followed by the packed files.

    `words` is the local command, which ends with `bash -c TEXT FILE`. `folders` are created there. Raises
    DeployError if the template is in an archive or the files are too large to be sent as arguments.
    """
    *first, text, file = words
    directory = subject.ensemble.model.topology.origin.directory
    if directory is None:
        raise DeployError(
            "operations on other machines need a template in a folder: unpack the archive first"
        )
    here = Path(os.path.abspath(directory))
    files = [Path(file), *_list_extra_files(subject, implementation)]
    packed = _pack_files(here, files)
    if len(packed) > _LARGEST:
        raise DeployError(_too_large(len(packed), files, subject))
    names = [*filter(is_variable, inputs), "SABIR_INPUTS_TEXT"]
    prelude = _THERE.replace("@NAMES@", " ".join(names)).replace("@HERE@", quote(str(here)))
    # Only paths that are sent or created there: any other path in an input already refers to that machine.
    paths = [*(os.path.relpath(os.path.abspath(path), here) for path in files), *folders]
    prelude = prelude.replace("@PATHS@", " ".join(quote(path) for path in dict.fromkeys(paths)))
    there = os.path.relpath(os.path.abspath(file), here)
    program = prelude + f"set -- {quote('./' + there)}\n" + text.replace('"$0"', '"$1"')
    return [*first, program, there, *(packed[at : at + _WORD] for at in range(0, len(packed), _WORD))]


def _list_extra_files(subject: Subject, implementation: Implementation) -> Iterator[Path]:
    directory = implementation.origin.directory
    for name, _ in implementation.dependencies:
        if directory is not None and os.path.isfile(directory / name):
            yield directory / name
    node = node_of(subject)
    for artifact in node.artifact_definitions.values():
        location = FileArtifact(artifact, node.ensemble).location
        if location is not None and os.path.isfile(location):
            yield Path(location)


def _too_large(size: int, files: Iterable[Path], subject: Subject) -> str:
    largest = max(files, key=lambda path: path.stat().st_size)
    return (
        f"what an operation of {node_of(subject).name!r} brings along to another machine is {size:,} bytes when packed, and "
        f"{_LARGEST:,} can be sent; the largest file is {largest.name} ({largest.stat().st_size:,} bytes): let the program fetch it "
        "there, or run the operation here (operation_host: ORCHESTRATOR)"
    )


def _pack_files(here: Path, files: Iterable[Path]) -> str:
    """Return the files as a compressed archive, with the same bytes each time."""
    data = io.BytesIO()
    with (
        gzip.GzipFile(fileobj=data, mode="wb", compresslevel=9, mtime=0) as packed,
        tarfile.open(fileobj=packed, mode="w") as archive,
    ):
        for path in dict.fromkeys(Path(os.path.abspath(file)) for file in files):
            name = os.path.relpath(path, here)
            if name.startswith(".."):
                raise DeployError(
                    f"{path} lies outside the folder of the template, and cannot be sent to another machine"
                )
            member = tarfile.TarInfo(name)
            content = path.read_bytes()
            member.size, member.mode = len(content), 0o700
            archive.addfile(member, io.BytesIO(content))
    return base64.b64encode(data.getvalue()).decode("ascii")


class OperationCommand(Struct, frozen=True, kw_only=True, eq=False):
    """An operation of a node or relationship, as far as it is known before it runs."""

    subject: Subject
    operation: NodeOperation
    undoes: bool
    """Whether it runs when its subject is removed."""
    target: str | None
    lane: str | None
    fixed: Mapping[str, Value]
    """Fields that are not a change of the operation: the program and the variables about where it runs."""
    results: Mapping[str, Address]
    timeout: float | None
    host: NodeInstance | None = None
    job: DeploymentJob
    address_of: NodeInstance | None = None
    """The host whose address the program needs because it runs elsewhere."""


class OperationCommands:
    """The operations of an ensemble as commands."""

    def __init__(self, ensemble: Ensemble) -> None:
        self.ensemble = ensemble
        self._folders = Folders()
        self._following = LiveObservations()
        self._live = ensemble.with_observed(self._following)

    def live(self, observed: Mapping[str, Value]) -> Ensemble:
        """Return the instances with these observed values.

        The ensemble is shared: it is valid until the next call with other values.
        """
        self._following.follow(observed)
        return self._live

    def live_subject(self, subject: Subject, observed: Mapping[str, Value]) -> Subject:
        return _find_subject(self.live(observed), subject)

    def reads(
        self, commands: Mapping[Address, OperationCommand], observed: Mapping[str, Value]
    ) -> ReadDependencies:
        """Return which commands produce and read which values.

        The inputs of each command are computed once with read tracking; the recorded edges are the
        dependencies. Only commands with outputs can be depended on, so without any the computation is
        skipped.
        """
        gives: dict[str, list[Address]] = {}
        by_text: dict[str, Address] = {}
        for address, command in commands.items():
            if command.undoes or not command.operation.outputs:
                continue
            by_text[str(address)] = address
            for attribute in command.results.values():
                gives.setdefault(str(attribute), []).append(address)
        if not by_text:
            return ReadDependencies(gives, ())
        ensemble, dependents = self.live(observed), self._following.dependents
        operations = TrackedCache(dependents)
        for address, command in commands.items():
            subject = _find_subject(ensemble, command.subject)
            with in_job(subject, command.job), dependents.track_computation(operations, address):
                _compute_inputs(subject, command.operation)
        edges: list[tuple[Hashable, Hashable]] = []
        for source, reader in dependents.edges():
            edges.append((source, reader[1] if reader[0] is operations else reader))
            giver = by_text.get(source.partition("|")[0]) if isinstance(source, str) else None
            if giver is not None:  # read by the name of the operation
                gives[str(source)] = [giver]
        return ReadDependencies(gives, edges)

    def command(
        self,
        subject: Subject,
        operation: NodeOperation,
        *,
        undoes: bool = False,
        operation_host: str | None = None,
        more_inputs: Mapping[str, Any] | None = None,
        workflow: str = "deploy",
    ) -> OperationCommand:
        """Build the command of an operation.

        `operation_host` and `more_inputs` are set by a workflow step and override those of the operation.
        """
        job = job_of(operation, "undeploy" if undoes else workflow)
        implementation = operation.implementation
        assert implementation is not None
        host = host_of(subject, operation.name, operation_host or implementation.operation_host)
        timeout = implementation.timeout.data if implementation.timeout is not None else None
        variables = build_variables(subject, operation, host)
        file, type_ = program_of(subject, implementation)
        inputs = dict.fromkeys(
            (*operation.inputs, *(more_inputs or ()))
        )  # a set would have another order in each run
        run = build_command(file, type_, inputs=inputs, outputs=operation.outputs, variables=variables)
        # A playbook runs locally, against the host.
        target = None if is_playbook(file) else target_of(host)
        directory = self.ensemble.model.topology.origin.directory
        base = None if target is not None or directory is None else os.path.abspath(directory)
        *first, text, name = run
        run = [*first, self._folders.around(text, subject, operation, job, base), name]
        if target is not None:
            folders = self._folders.names(subject, operation, job)
            run = wrap_remote_command(run, subject, implementation, inputs, folders)
        fixed: dict[str, Value] = {"undo" if undoes else "run": list(run)}
        if directory is not None and target is None:
            fixed["directory"] = str(directory)
        if operation.outputs and not undoes:
            fixed["outputs"] = [*operation.outputs]
        return OperationCommand(
            subject=subject,
            operation=operation,
            undoes=undoes,
            target=target,
            host=host,
            job=job,
            address_of=host if is_playbook(file) and target_of(host) is not None else None,
            lane=None if host is None else f"host {host.key}",
            fixed=fixed,
            results={
                name: attribute_address(subject, output.target)
                for name, output in operation.outputs.items()
                if len(output.target) > 1
            },
            timeout=float(timeout) if isinstance(timeout, int | float) else None,
        )

    def build_resource(self, address: Address, command: OperationCommand) -> Resource:
        """Return a command as a resource that is part of the lifecycle of its subject."""
        operation = command.operation
        return Resource(
            address=address,
            kind="command",
            desired={},
            target=command.target,
            lane=command.lane,
            results=command.results,
            late=partial(self.compute_fields, command),
            origin=Origin(operation.definition.place, How.LITERAL),
            lifecycle=Lifecycle()
            if command.undoes
            else Lifecycle(ignore_changes=("run", "directory", "outputs")),
            timeout=command.timeout,
        )

    def compute_fields(
        self,
        command: OperationCommand,
        observed: Mapping[str, Value],
        more_inputs: Mapping[str, Value] | None = None,
    ) -> dict[str, Value]:
        """Return the fields of a command with these observed values.

        `more_inputs` override the inputs of the operation.
        """
        subject = self.live_subject(command.subject, observed)
        with in_job(subject, command.job):
            inputs = {**_compute_inputs(subject, command.operation), **(more_inputs or {})}
        if command.undoes:  # a value that is unknown when it is recorded is not set
            inputs = {name: value for name, value in inputs.items() if not isinstance(value, Unknown)}
        variables: dict[str, Value] = {
            name: value for name, value in inputs.items() if value is not None and is_variable(name)
        }
        if command.address_of is not None:
            login = login_of(subject.ensemble.at(command.address_of.path))
            variables |= {
                f"SABIR_{name}": login[key]
                for name, key in (("ADDRESS", "host"), ("PORT", "port"), ("USER", "user"), ("KEY", "key"))
                if key in login
            }
        return {**command.fixed, "environment": {**variables, INPUTS: _as_text(inputs)}}


def _find_subject(ensemble: Ensemble, subject: Subject) -> Subject:
    """Return the same subject in another ensemble of the same model."""
    node = node_of(subject)
    there = ensemble.at(node.path)
    if subject is node:
        return there
    return there.requirements[list(node.requirements).index(subject)]  # type: ignore[arg-type]


def _compute_inputs(subject: Subject, operation: NodeOperation) -> dict[str, Value]:
    values: dict[str, Value] = {}
    for name, parameter in operation.inputs.items():
        assigned = subject.ensemble.default(parameter)
        if assigned is not None:
            values[name] = _compute_value(assigned, subject)
    return values


def _compute_value(assigned: AssignedValue, subject: Subject) -> Value:
    try:
        return plain_value(assigned.value(subject))
    except (QueryError, RecursionError):  # a map may contain itself
        return UNKNOWN


def _as_text(inputs: Mapping[str, Value]) -> Value:
    """Return all inputs as one JSON object, sensitive if one of them is."""
    unknown = next((value for value in inputs.values() if isinstance(value, Unknown)), None)
    if unknown is not None:
        return unknown
    plain = reveal_all(dict(inputs))
    text = msgspec.json.encode(plain).decode("utf-8")
    return text if plain == dict(inputs) else Sensitive(text)
