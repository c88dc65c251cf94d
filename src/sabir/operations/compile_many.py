"""Compile many packages, shared out to processes of this machine or to the workers of a scheduler."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from pathlib import Path

from msgspec import Struct
from msgspec.structs import replace

from sabir.errors import SabirError, UsageError
from sabir.operations.compile import Compiled, CompileRequest, compile_path

__all__ = ["compile_paths"]


def compile_paths(
    paths: Sequence[Path], request: CompileRequest, *, jobs: int = 1, executor: str | None = None
) -> Iterator[Compiled | str]:
    """What comes of each path, in order; a text says why there is nothing. The path of the request does not matter."""
    evaluation = request.evaluation
    work = _CompileThere(
        replace(request, evaluation=replace(evaluation, reach=None)), reaches=evaluation.reach is not None
    )
    if executor is not None:
        from sabir.operations.spread import on_workers

        return on_workers(executor, work, paths)
    if jobs > 1 and len(paths) > 1:
        from sabir.operations.parallel import in_processes

        return in_processes(work, paths, jobs)
    return map(work, paths)


class _CompileThere(Struct, frozen=True, eq=False):
    """The work on one path as something that can be sent to another process."""

    request: CompileRequest
    reaches: bool
    """Whether other environments may be asked for as they were deployed; who asks does not travel, and is made there."""

    def __call__(self, path: Path) -> Compiled | str:
        evaluation = self.request.evaluation
        if self.reaches:
            from sabir.operations.past import deployed_graph  # it brings a database along

            evaluation = replace(evaluation, reach=partial(deployed_graph, session=evaluation.session))
        try:
            compiled = compile_path(replace(self.request, path=path, evaluation=evaluation))
        except UsageError:
            raise
        except SabirError as error:
            return str(error)
        # Files stay where they were read.
        return replace(compiled, package=None)
