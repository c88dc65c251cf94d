"""Jobs: the directories that `get_dir` returns while an operation runs.

Their paths do not change between deployments; otherwise each operation that reads one would seem changed. The
operation itself creates them right before its program, and only those that its inputs contain, so planning
writes nothing.

As a program, encrypts what an operation wrote to its directory of secrets:

python -m sabir.languages.tosca.graph.jobs DIRECTORY
"""

from __future__ import annotations

import os
import sys
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path
from shlex import quote
from typing import Final

from msgspec.structs import replace

from sabir.expressions.query.functions.folders import folders_of_job
from sabir.expressions.query.session import DeploymentJob
from sabir.expressions.vault import encrypt_vault, is_vault
from sabir.languages.tosca.graph.addresses import Subject, node_of
from sabir.languages.tosca.model.behaviour import NodeOperation
from sabir.text import Source

PASSWORD: Final = "UNFURL_VAULT_DEFAULT_PASSWORD"


def encrypt_files(folder: Path, password: str) -> None:
    """Encrypt every file under a directory that is not encrypted yet.

    The encrypted text is written to a new file that then replaces the old one, so an interruption never
    leaves a truncated file.
    """
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if is_vault(content):
            continue
        beside = path.with_name(f".{path.name}.sealing")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(encrypt_vault(content, password))
        beside.replace(path)


if __name__ == "__main__":
    encrypt_files(Path(sys.argv[1]), os.environ[PASSWORD])


_MAKING: Final = """\
for __name in @FOLDERS@; do
  case $SABIR_INPUTS_TEXT in
    *@BASE@/"$__name"*) (umask 077; mkdir -p @BASE@/"$__name") || exit 125 ;;
  esac
done
for __name in jobs local tmp @TEMPLATE@; do
  [ ! -d @BASE@/"$__name" ] || [ -e @BASE@/"$__name/.gitignore" ] || echo '*' > @BASE@/"$__name/.gitignore"
done
unset __name
"""
_SEALED_BEFORE: Final = f"""\
__sealed=
case $SABIR_INPUTS_TEXT in
  *@SECRETS@*)
    if [ -z "${PASSWORD}" ]; then
      echo "what is written into the folder of secrets is encrypted: set {PASSWORD}" >&2
      exit 125
    fi
    __sealed=yes ;;
esac
"""
_SEALED_BEHIND: Final = """\
__status=$?
[ -z "$__sealed" ] || @SEALING@ || exit 125
exit $__status
"""
_SEALING: Final = "sabir.languages.tosca.graph.jobs"
_NAMES: Final = ("get_dir", "abspath")


def job_of(operation: NodeOperation, workflow: str) -> DeploymentJob:
    """Return the job of an operation in a workflow."""
    return DeploymentJob(id="deploy", operation=f"{operation.interface}.{operation.name}", workflow=workflow)


@contextmanager
def in_job(subject: Subject, job: DeploymentJob) -> Generator[None]:
    """Evaluate expressions of the subject inside the job while the context is open."""
    session = subject.ensemble.session
    outside = session.project
    session.project = replace(outside, job=job)
    try:
        yield
    finally:
        session.project = outside


class Folders:
    """The job directories of one template."""

    def __init__(self) -> None:
        self._asking: dict[int, tuple[Source, bool]] = {}

    def names(self, subject: Subject, operation: NodeOperation, job: DeploymentJob) -> list[str]:
        """Return the directories that an operation may use, relative to the template directory."""
        if not self._may_ask(subject, operation):
            return []
        node = node_of(subject)
        return [str(folder) for folder in folders_of_job(job, node.name, node.template_name).values()]

    def around(
        self, text: str, subject: Subject, operation: NodeOperation, job: DeploymentJob, base: str | None
    ) -> str:
        """Return the shell text with the creation of job directories before it.

        The text is unchanged if the operation cannot use any. `base` is the template directory, or None on
        another machine.
        """
        if not self._may_ask(subject, operation):
            return text
        node = node_of(subject)
        folders = folders_of_job(job, node.name, node.template_name)
        below = '"$SABIR_MARK/files"' if base is None else quote(base)
        names = " ".join(quote(str(folder)) for folder in folders.values())
        making = _MAKING.replace("@FOLDERS@", names).replace("@BASE@", below)
        making = making.replace("@TEMPLATE@", quote(str(folders["spec.local"])))
        if base is None:
            return making + text
        secrets = f"{below}/{quote(str(folders['secrets']))}"
        sealing = f"{quote(sys.executable)} -P -m {_SEALING} {secrets}"
        before = _SEALED_BEFORE.replace("@SECRETS@", secrets)
        return f"{making}{before}({text}\n)\n{_SEALED_BEHIND.replace('@SEALING@', sealing)}"

    def _may_ask(self, subject: Subject, operation: NodeOperation) -> bool:
        """Return whether a file that defines the operation contains a function that returns directories."""
        flat, node = subject.flat, node_of(subject)
        origins = [operation.definition.origin, node.template.origin, subject.ensemble.model.topology.origin]
        origins += [definition.origin for definition in flat.chain] if flat is not None else []
        return any(self._asks(origin.source) for origin in origins if not origin.shipped)

    def _asks(self, source: Source) -> bool:
        if id(source) not in self._asking:
            self._asking[id(source)] = source, any(name in source.text for name in _NAMES)
        return self._asking[id(source)][1]
