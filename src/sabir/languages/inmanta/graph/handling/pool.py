"""The processes of one deployment: each agent has one, and when there are many agents some share."""

from __future__ import annotations

import asyncio
import sys
from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any, Final

from sabir.languages.inmanta.evaluate.model import Model
from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.engine.remote_io import Place
from sabir.languages.inmanta.graph.agents import HandlerRun
from sabir.languages.inmanta.graph.handling.messages import Asked, Begin, SentModule
from sabir.languages.inmanta.graph.handling.process import HandlerProcess
from sabir.languages.inmanta.model.functions import plugin_files
from sabir.languages.inmanta.syntax.modules import Module

__all__ = ["Handlers"]

_MOST: Final = 4
_SECONDS: Final = 3600.0
"""What one run may take, where the target of its agent says nothing else."""


class Handlers:
    def __init__(
        self, model: Model, files: Mapping[str, bytes], facts: Mapping[tuple[str, str], str]
    ) -> None:
        self._python = model.python
        self._files = files
        self._facts = [(resource, name, value) for (resource, name), value in facts.items()]
        self._of_agent: dict[str, int] = {}
        self._processes: dict[int, HandlerProcess] = {}
        self._starting: dict[int, asyncio.Lock] = {}
        self._numbers = count()

    def know(self, resource: str, facts: Mapping[str, str]) -> None:
        """What a handler told, for the references of others."""
        self._facts += [(resource, name, value) for name, value in facts.items()]

    async def run(
        self,
        call: str,
        agent: str,
        resource: tuple[str, dict[str, Any]],
        *,
        place: Place | None = None,
        requires: Mapping[str, str] | None = None,
        reload: bool = False,
        seconds: float | None = None,
    ) -> HandlerRun:
        """One run of a handler: `dry_run`, `deploy` or `facts` for a resource, given as its id and its fields."""
        process = await self._process(agent)
        identity, fields = resource
        asked = Asked(
            number=next(self._numbers),
            call=call,
            agent=agent,
            place=place,
            resource=identity,
            fields=fields,
            requires=dict(requires or {}),
            reload=reload,
            facts=self._facts[process.facts_known :],
        )
        process.facts_known = len(self._facts)
        return await process.ask(asked, seconds=_SECONDS if seconds is None else seconds)

    async def _process(self, agent: str) -> HandlerProcess:
        """That of an agent; a new one where there is none, or where it was lost."""
        at = self._of_agent.setdefault(agent, len(self._of_agent) % _MOST)
        async with self._starting.setdefault(at, asyncio.Lock()):
            process = self._processes.get(at)
            if process is None or not process.is_alive:
                if process is not None:
                    await process.close()
                environment = self._python.session.environment
                process = self._processes[at] = await HandlerProcess.start(self._begin(), environment)
            return process

    def _begin(self) -> Begin:
        python = self._python
        root = python.project.project_path
        return Begin(
            modules=[*_sent(python)],
            root=None if root == "None" else root,
            import_path=[*sys.path],
            trust=python.session.trust,
            environment=dict(python.session.environment),
            files=dict(self._files),
        )

    async def close(self) -> None:
        for process in self._processes.values():
            await process.close()


def _sent(python: ProjectPython) -> Iterator[SentModule]:
    for module in python.modules.values():
        yield SentModule(
            name=module.name,
            ours=module.ours,
            shown=module.plugins.shown,
            files={} if module.ours else _texts(module),
            plugins=module.plugins.directory,
            data=module.data.directory,
        )


def _texts(module: Module) -> dict[str, bytes]:
    texts: dict[str, bytes] = {}
    for name in plugin_files(module):
        file = module.plugins.file(name)
        if file is not None:
            texts[name] = file.raw()
    return texts
