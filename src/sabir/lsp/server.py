"""The server: notifications keep the desks up to date, requests ask them.

All work on texts is done in the main thread, where limits hold, in pieces that are short; an evaluation runs in a worker process
with limits of its own, and a thread waits for it.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Coroutine, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

from lsprotocol import types
from pygls.exceptions import FeatureRequestError
from pygls.lsp.server import LanguageServer

from sabir import __version__
from sabir.diagnostics.reasons import explain_error
from sabir.errors import Overrun, SabirError
from sabir.languages.language import EvaluationRequest
from sabir.lsp import diagnostics
from sabir.lsp.positions import PositionConverter, path_of, uri_of
from sabir.lsp.transport import AnsweringProtocol
from sabir.lsp.workspace import EditorWorkspace
from sabir.operations.editor.project import EditorProject, EditorProjects
from sabir.operations.editor.values import EvaluatedProject
from sabir.operations.worker import WorkerPool
from sabir.session import PROFILES, Session

_PAUSE: Final = 0.3
"""Seconds without a key until everything is checked."""
_logger = logging.getLogger(__name__)


class SabirServer(LanguageServer):
    """The desks of everything that is open."""

    def __init__(self, environment: Mapping[str, str], workers: WorkerPool) -> None:
        super().__init__("sabir", __version__, protocol_cls=AnsweringProtocol)
        session = Session(limits=PROFILES["strict"], environment=environment, workers=workers)
        self.projects = EditorProjects(session)
        self.workers = workers
        self.desks: dict[Path, EditorWorkspace] = {}
        self._tasks: dict[tuple[Path, str], asyncio.Task[None]] = {}

    @property
    def positions(self) -> PositionConverter:
        return PositionConverter(self.workspace.position_codec)

    # Desks

    def find_workspace(self, uri: str) -> tuple[EditorWorkspace, str] | None:
        """The desk of a file, and the name of the file there; None for what is in none of the languages."""
        path = path_of(uri)
        project = None if path is None else self.projects.of(path, within=self._folder_of(path))
        name = None if project is None or path is None else project.name_of(path)
        return None if project is None or name is None else (self._open_workspace(project), name)

    def _folder_of(self, path: Path) -> Path | None:
        folders = (path_of(folder.uri) for folder in self.workspace.folders.values())
        return next(
            (folder for folder in folders if folder is not None and path.is_relative_to(folder)), None
        )

    def _open_workspace(self, project: EditorProject) -> EditorWorkspace:
        desk = self.desks.get(project.root)
        if desk is None:
            above = self.projects.environment_of(project)
            desk = self.desks[project.root] = EditorWorkspace(
                project, None if above is None else self._open_workspace(above)
            )
        return desk

    # Findings

    def handle_change(self, uri: str, text: str) -> None:
        """A file is open, or was changed in its editor."""
        at = self.find_workspace(uri)
        if at is None:
            return
        desk, name = at
        desk.open[name] = uri
        desk.edit(name, text)
        self.recheck_file(desk, name)

    async def _check(self, desk: EditorWorkspace) -> None:
        await asyncio.sleep(_PAUSE)
        if desk.is_checked:
            await self._check_all(desk)
        for _ in desk.index.refresh():
            await asyncio.sleep(0)

    async def _check_all(self, desk: EditorWorkspace) -> None:
        pieces = desk.project.check()
        before = desk.files_with_findings()
        while True:
            try:
                next(pieces)
            except StopIteration as ended:
                desk.store_findings(ended.value)
                break
            except (Overrun, SabirError) as error:
                _logger.warning("%s was not checked as a whole: %s", desk.project.root.name, error)
                return
            await asyncio.sleep(0)
        for name in before | desk.files_with_findings():
            self.publish(desk, name)

    def publish(self, desk: EditorWorkspace, name: str) -> None:
        """Show the findings of a file. One of a part is shown by the part, which knows what its own checks say."""
        path = desk.project.path_of(name)
        owner = self.find_workspace(uri_of(path)) if desk.project.is_environment else None
        if owner is not None and owner[0] is not desk:
            self.publish(*owner)
            return
        uri = desk.open.get(name) or uri_of(path)
        shown = [
            diagnostics.build_diagnostic(finding, self.positions, self.uri_in(desk))
            for finding in desk.findings(name)
        ]
        self.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri=uri, diagnostics=shown))

    def uri_in(self, desk: EditorWorkspace) -> Callable[[str], str]:
        return lambda name: desk.open.get(name) or uri_of(desk.project.path_of(name))

    # Values

    def evaluate_later(self, desk: EditorWorkspace) -> None:
        """The values of the whole: of the environment where there is one."""
        owner = desk.environment or desk
        self.later(owner, "evaluate", self._evaluate(owner))

    async def _evaluate(self, desk: EditorWorkspace) -> None:
        await asyncio.sleep(_PAUSE)
        project, texts, before = desk.project, desk.texts(), desk.files_with_findings()
        request = EvaluationRequest(session=project.session, full_provenance=True)
        try:
            evaluation = await asyncio.to_thread(
                self.workers.evaluate,
                project.base,
                project.root,
                request,
                language=project.language.name,
                texts=texts,
                judge=True,
            )
        except SabirError as error:
            _logger.info("%s has no values: %s", project.root.name, error)
            return
        findings = project.about_texts(evaluation.findings)
        desk.store_evaluation(EvaluatedProject(evaluation.graph, findings), texts)
        for name in before | desk.files_with_findings() | {*desk.open}:
            self.publish(desk, name)
        capabilities = self.client_capabilities.workspace
        if capabilities is not None and capabilities.inlay_hint is not None:
            await self.workspace_inlay_hint_refresh_async(None)

    # Files

    def handle_close(self, uri: str) -> None:
        """What was typed and not saved is lost: the file is what is on the disk."""
        at = self.find_workspace(uri)
        if at is not None:
            desk, name = at
            desk.open.pop(name, None)
            desk.project.reload_file(name)
            self.recheck_file(desk, name)

    def recheck_file(self, desk: EditorWorkspace, name: str) -> None:
        """The text of a file is another one."""
        try:
            desk.check_quickly(name)
        except (Overrun, SabirError) as error:
            _logger.warning("%s was not checked: %s", name, error)
        self.publish(desk, name)
        self.later(desk, "check", self._check(desk))
        self.evaluate_later(desk)

    def handle_file_changes(self, changes: Sequence[types.FileEvent]) -> None:
        """Somebody else wrote, made or deleted files."""
        if any(change.type is not types.FileChangeType.Changed for change in changes):
            self.projects.forget()
            for desk in self.desks.values():
                desk.project.reload_listing()
                self.later(desk, "check", self._check(desk))
        for change in changes:
            at = self.find_workspace(change.uri)
            if at is not None and at[1] not in at[0].open:
                at[0].project.reload_file(at[1])
                self.recheck_file(*at)

    # Tasks

    def report_server_error(self, error: Exception, source: Any) -> None:
        """What belongs to no request is shown to people, in words for them."""
        if not issubclass(source, FeatureRequestError):
            message = f"sabir: {explain_error(error)}"
            self.window_show_message(types.ShowMessageParams(type=types.MessageType.Error, message=message))

    def later(self, desk: EditorWorkspace, kind: str, work: Coroutine[Any, Any, None]) -> None:
        """Do something when there is time, in place of what of this kind was still to be done."""
        key = desk.project.root, kind
        waiting = self._tasks.pop(key, None)
        if waiting is not None:
            waiting.cancel()
        task = self._tasks[key] = asyncio.get_running_loop().create_task(work)
        task.add_done_callback(lambda done: self._forget_task(key, done))

    def _forget_task(self, key: tuple[Path, str], task: asyncio.Task[None]) -> None:
        if self._tasks.get(key) is task:
            del self._tasks[key]
        if not task.cancelled() and task.exception() is not None:
            _logger.error("a task failed", exc_info=task.exception())
