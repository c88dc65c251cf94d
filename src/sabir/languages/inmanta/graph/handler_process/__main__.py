"""The handler process: loads the Python of a model's modules and runs handlers until the pipe closes.

The pipes are moved away from standard input and output before third-party code runs. What handlers
print goes to the parent, which shows the last lines if the process ends unexpectedly. Each agent has a
permanent thread. What handlers start in one run and use in the next, such as connections or child
processes that end with their thread, remains available.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from queue import SimpleQueue
from threading import Lock, Thread
from typing import Any, BinaryIO

from sabir.diagnostics.reasons import error_text
from sabir.languages.inmanta.evaluate.plugins.compat import ProjectPython
from sabir.languages.inmanta.evaluate.plugins.engine.resources import Id, Resource
from sabir.languages.inmanta.evaluate.plugins.loader import load_resources
from sabir.languages.inmanta.graph.agents import Agent, HandlerRun, handlers_of
from sabir.languages.inmanta.graph.handler_process.messages import (
    Answer,
    Begin,
    HandlerFailure,
    HandlerRequest,
    HandlerResult,
    SentModule,
    encode_message,
    message_decoder,
    sendable_value,
)
from sabir.languages.inmanta.syntax.modules import Module, TextTree
from sabir.pipes import private_pipes, read_message
from sabir.session import Session


class _Workshop:
    """The loaded modules, and the agents by name."""

    def __init__(self, begin: Begin, python: ProjectPython) -> None:
        self._python = python
        self._uploaded = begin.files
        self._handlers: Mapping[str, type] = handlers_of(python)
        registry = python.registry
        self._facts: dict[tuple[str, str], str] = {}
        registry.references.facts = self._facts
        self._classes = {registered.entity: registered.cls for registered in registry.resources}
        self._agents: dict[str, Agent] = {}

    def prepare(self, asked: HandlerRequest) -> None:
        """Return what a run needs. The runs of one agent are serialized."""
        self._facts.update({(resource, name): value for resource, name, value in asked.facts})
        if asked.agent not in self._agents:
            self._agents[asked.agent] = Agent(asked.agent, self._handlers, self._uploaded, asked.place)

    def run(self, asked: HandlerRequest) -> Answer:
        try:
            resource = self._resource(asked)
            agent = self._agents[asked.agent]
            if asked.call == "deploy":
                ended = agent.deploy(resource, asked.requires, reload=asked.reload)
            else:
                ended = agent.facts(resource) if asked.call == "facts" else agent.dry_run(resource)
        except BaseException as error:  # noqa: BLE001  # foreign code may raise anything; the owner is told
            return HandlerFailure(asked.number, f"{type(error).__name__}: {error_text(error)}")
        return HandlerResult(asked.number, _sendable_run(ended))

    def _resource(self, asked: HandlerRequest) -> Resource:
        identity = Id.parse_id(asked.resource)
        cls: Any = self._classes[identity.entity_type]
        resource: Resource = cls(identity)
        resource.populate(asked.fields)
        resource.requires = {Id.parse_id(text) for text in asked.requires}
        resource.__dict__["_registrations"] = self._python.registry.references
        return resource

    def close(self) -> None:
        for agent in self._agents.values():
            if agent.io is not None:
                agent.io.close()


def _sendable_run(ended: HandlerRun) -> HandlerRun:
    return HandlerRun(
        state=ended.state,
        change=ended.change,
        changes={
            str(name): (sendable_value(current), sendable_value(desired))
            for name, (current, desired) in ended.changes.items()
        },
        log=tuple(type(line)(line.level, line.text, {}) for line in ended.log),
        facts={str(name): str(value) for name, value in ended.facts.items()},
    )


def _build_module(sent: SentModule) -> Module:
    tree = TextTree(sent.files, sent.shown, sent.plugins)
    data = TextTree({}, sent.shown, sent.data)
    return Module(sent.name, data, data, tree, data, ours=sent.ours)


def serve() -> None:
    """Read requests and write results until the parent closes the pipe."""
    questions, answers = private_pipes()
    writing = Lock()

    def send(answer: Answer) -> None:
        with writing:
            answers.write(encode_message(answer))
            answers.flush()

    body = read_message(questions)
    if body is None:
        return
    begin: Begin = message_decoder(Begin).decode(body)
    sys.path[:] = begin.import_path
    session = Session(trust=begin.trust, environment=begin.environment)
    modules = {sent.name: _build_module(sent) for sent in begin.modules}
    python = ProjectPython(modules, None if begin.root is None else Path(begin.root), session)
    with python.importable():
        findings = load_resources(python)
        if findings:
            send(HandlerFailure(None, findings[0].message))
            return
        _run_requests(_Workshop(begin, python), questions, send)


def _run_requests(workshop: _Workshop, questions: BinaryIO, send: Callable[[Answer], None]) -> None:
    asked_of = message_decoder(HandlerRequest)
    threads: dict[str, SimpleQueue[HandlerRequest]] = {}

    def run(waiting: SimpleQueue[HandlerRequest]) -> None:
        while True:
            send(workshop.run(waiting.get()))

    while (body := read_message(questions)) is not None:
        asked: HandlerRequest = asked_of.decode(body)
        workshop.prepare(asked)
        if asked.agent not in threads:
            threads[asked.agent] = SimpleQueue()
            Thread(target=run, args=(threads[asked.agent],), daemon=True).start()
        threads[asked.agent].put(asked)
    workshop.close()


if __name__ == "__main__":
    serve()
    os._exit(0)  # threads of modules may go on for ever, and nobody is left to hear of them
