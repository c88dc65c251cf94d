"""The digest of a container's content, and the archive of the runner.

The digest covers what the pod template does not contain: files, commands, and settings of the runner.
It is an environment variable of the container, so that pods roll when it changes, and an annotation of
a Job, which runs again when it changes. It covers the files as rendered, not the whole configuration: a
setting that a service does not use leaves its digest unchanged. The archive has the same bytes whenever
it is built.
"""

from __future__ import annotations

import base64
import hashlib
import io
import json
import zipfile
from collections.abc import Mapping
from functools import lru_cache
from importlib import resources
from typing import Any, Final

from sabir.languages.ccp.evaluate.objects.origins import ObjectReads
from sabir.languages.ccp.model.deployment import ResolvedDeployment
from sabir.languages.ccp.model.templates import ContainerTemplates
from sabir.languages.ccp.model.units import Unit
from sabir.languages.ccp.syntax.nodes import Command

ARCHIVE: Final = "ccp-runner.pyz"
_PACKAGE: Final = "ccp_runner"
_START: Final = f"""\
import sys

from {_PACKAGE}.program import main

sys.exit(main(sys.argv[1:]))
"""


@lru_cache(maxsize=1)
def runner_archive() -> bytes:
    """Return the archive. It is stored uncompressed, so no zlib is needed and no zlib version matters."""
    folder = resources.files("sabir.languages.ccp.runner")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".py"))
    texts = {
        f"{_PACKAGE}/{name}": folder.joinpath(name).read_bytes() for name in names if name != "__main__.py"
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {"__main__.py": _START.encode(), **texts}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


@lru_cache(maxsize=1)
def runner_data() -> str:
    """Return the archive in base64, as a ConfigMap holds it."""
    return base64.b64encode(runner_archive()).decode()


CONTENT: Final = "sabir/content"
"""The annotation of Jobs."""

RUNNER_SETTINGS: Final = (
    "namespace",
    "cluster_domain",
    "runner",
    "etcd",
    "security",
    "openstack",
    "keystone",
)
"""What the runner itself reads of the configuration."""


class Contents:
    def __init__(self, resolved: ResolvedDeployment, reads: ObjectReads | None = None) -> None:
        """Prepare the digests; `reads` is notified of each unit whose content is used."""
        self._reads = reads
        self._templates = ContainerTemplates(resolved)
        self._resolved = resolved
        configuration = resolved.deployment.configuration
        variables = configuration.variables
        names = ("namespace", "cluster_domain", *RUNNER_SETTINGS)
        self._runner = _content_digest([{name: variables.get(name) for name in names}])
        self._program = hashlib.sha256(runner_archive()).hexdigest()
        self._everything = ""

    def of_container(self, unit: Unit) -> str:
        """Return the digest of a container. It includes the runner, so versions never mix in a pod."""
        if self._reads is not None:
            self._reads.note_runner()
        return _content_digest([self._program, self._runner, self._unit(unit)])

    def of_job(self, unit: Unit, program: Mapping[str, Any]) -> str:
        """Return the digest of a Job: program, image and files. A new runner does not rerun Jobs."""
        env = [dict(variable) for variable in unit.container.env]
        return _content_digest([program, env, self._unit(unit)])

    def _unit(self, unit: Unit) -> list[Any]:
        unwatched = unit
        if self._reads is not None:
            self._reads.note_content(unit.id)
            unwatched = self._resolved.units.all[unit.id]
        return [unit.id, *(self._on_node(unit, unwatched, node) for node in self._templates.nodes(unwatched))]

    def _on_node(self, unit: Unit, unwatched: Unit, node: str) -> list[Any]:
        variables = self._templates.variables(unwatched, node)
        described = unit.definition.files
        files = {name: described[name] for name in unit.files if name in described}
        seen: list[Any] = []
        for rendered in self._templates.files(unwatched, variables):
            file = files[rendered.name]
            text = rendered.text
            if text is None:  # fails here, perhaps not there: whatever it may read counts
                text = rendered.source.text + self._all_variables()
            seen.append([file.destination, file.perm, file.user, text])
        commands = unit.container.local_commands if unit.command is None else (unit.command,)
        seen += [self._command(unit, unwatched, command, variables) for command in commands]
        if unit.command is None and unit.container.readiness is not None:
            seen.append(unit.container.readiness.written)
        return seen

    def _command(
        self, unit: Unit, unwatched: Unit, command: Command, variables: Mapping[str, Any]
    ) -> list[Any]:
        text = self._templates.command(unwatched, command.place, command.command, variables).text
        waits = [str(one) for one in self._resolved.units.resolve_all(unit.definition, command.dependencies)]
        return [text or command.command + self._all_variables(), command.user, waits]

    def _all_variables(self) -> str:
        if not self._everything:
            configuration = self._resolved.deployment.configuration
            self._everything = _content_digest([configuration.data])
        return self._everything


def _content_digest(value: list[Any]) -> str:
    text = json.dumps(value, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:32]
