"""What an operation on another machine brings along: its program, what that depends on, and the artifacts of its node.

They lie in a private folder there, in the layout that they have beside the template. Paths of this machine in inputs are brought there,
too, so that `get_artifact` gives the path of the copy.
"""

from __future__ import annotations

import base64
import gzip
import io
import os
import tarfile
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from shlex import quote
from typing import Final

from sabir.errors import DeployError
from sabir.languages.tosca.evaluate.artifacts import FileArtifact
from sabir.languages.tosca.graph.programs import is_variable
from sabir.languages.tosca.graph.subjects import Subject, node_of
from sabir.languages.tosca.syntax.nodes import Implementation

__all__ = ["sent"]

_WORD: Final = 100_000
"""What is sent goes as words of a command, each of which Linux bounds at 128 KiB, and all together at 2 MiB."""
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


def sent(
    words: list[str],
    subject: Subject,
    implementation: Implementation,
    inputs: Collection[str],
    folders: Iterable[str] = (),
) -> list[str]:
    """The words of a command for another machine, behind them what it brings along; those for this one are `bash -c TEXT FILE`. `folders` are made there."""
    *first, text, file = words
    directory = subject.ensemble.model.topology.origin.directory
    if directory is None:
        raise DeployError(
            "operations on other machines need a template in a folder: unpack the archive first"
        )
    here = Path(os.path.abspath(directory))
    files = [Path(file), *_beside(subject, implementation)]
    packed = _packed(here, files)
    if len(packed) > _LARGEST:
        raise DeployError(_too_large(len(packed), files, subject))
    names = [*filter(is_variable, inputs), "SABIR_INPUTS_TEXT"]
    prelude = _THERE.replace("@NAMES@", " ".join(names)).replace("@HERE@", quote(str(here)))
    # Only what is sent or made there: any other path that an input names is one of the other machine already.
    paths = [*(os.path.relpath(os.path.abspath(path), here) for path in files), *folders]
    prelude = prelude.replace("@PATHS@", " ".join(quote(path) for path in dict.fromkeys(paths)))
    there = os.path.relpath(os.path.abspath(file), here)
    program = prelude + f"set -- {quote('./' + there)}\n" + text.replace('"$0"', '"$1"')
    return [*first, program, there, *(packed[at : at + _WORD] for at in range(0, len(packed), _WORD))]


def _beside(subject: Subject, implementation: Implementation) -> Iterator[Path]:
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


def _packed(here: Path, files: Iterable[Path]) -> str:
    """The files as a packed archive, the same bytes each time."""
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
