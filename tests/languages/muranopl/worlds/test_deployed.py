"""The journalled world: a program that is cut off and run again asks for the same effects, and does none of them twice."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from msgspec import json

from sabir.languages.language import EvaluationRequest
from sabir.languages.muranopl.evaluate.preparation import prepare_run
from sabir.languages.muranopl.model.errors import NativeError
from sabir.languages.muranopl.worlds.deployed import JournalledWorld
from sabir.languages.muranopl.worlds.effects import EffectKind, EffectRequest, WorldError
from sabir.languages.muranopl.worlds.simulated import SimulatedWorld
from sabir.resources.effects import ANSWER, FAILURE, DivergedError
from sabir.resources.effects import Effect as Call
from sabir.resources.outcome import Outcome, OutcomeStatus
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files

CLASSES = """\
  res: io.murano.resources
  conf: io.murano.configuration
Name: Root
Extends: std:Application
Properties:
  instance:
    Contract: $.class(res:Instance).notNull()
Methods:
  deploy:
    Body:
      - $.instance.deploy()
      - conf:Linux.runCommand($.instance.agent, randomName())
"""
MODEL = """\
'?': {id: env, type: io.murano.Environment}
name: production
defaultNetworks:
  environment: {'?': {type: io.murano.resources.NeutronNetwork}, name: net}
applications:
""" + "".join(
    f"""\
  - '?': {{id: app{number}, type: demo.Root}}
    instance:
      '?': {{id: vm{number}, type: io.murano.resources.LinuxMuranoInstance}}
      name: web-{number}
      flavor: m1.small
      image: ubuntu
"""
    for number in range(3)
)


class CutOff(BaseException):
    """The process ends here."""


class Journal:
    """What survives: outcomes by position, and the cloud. After `most` effects the process ends."""

    def __init__(self, description: dict[str, Any] | None = None) -> None:
        self.calls: dict[str, tuple[bytes, Outcome]] = {}
        self.cloud = SimulatedWorld(description)
        self.done: list[str] = []
        self.most = 10_000
        self.notes: list[str] = []

    def outcome(self, call: Call) -> Outcome:
        try:
            answer = self.cloud.perform(EffectRequest(kind=EffectKind(call.kind), arguments=call.arguments))
        except WorldError as failure:
            return Outcome(status=OutcomeStatus.FAILED, message=str(failure), results={FAILURE: failure.name})
        return Outcome(results={ANSWER: answer})


class Sequence:
    """One branch, as the engine counts it."""

    def __init__(self, journal: Journal, prefix: str = "run") -> None:
        self.journal = journal
        self.prefix = prefix
        self.count = 0
        self.branches = 0

    def branch(self, name: str) -> Sequence:
        self.branches += 1
        return Sequence(self.journal, f"{self.prefix}/{self.count}.{self.branches}.{name}")

    def note(self, line: str) -> None:
        self.journal.notes.append(line)

    async def perform(self, effect: Call) -> Outcome:
        self.count += 1
        position, call = (
            f"{self.prefix}/{self.count}",
            json.encode([effect.kind, effect.arguments], order="sorted"),
        )
        if position in self.journal.calls:
            recorded, outcome = self.journal.calls[position]
            if recorded != call:
                raise DivergedError(position, recorded.decode(), call.decode())
            return outcome
        if len(self.journal.done) >= self.journal.most:
            raise asyncio.CancelledError
        await asyncio.sleep(0.001 * (hash(position) % 3))  # branches overtake each other
        outcome = self.journal.outcome(effect)
        self.journal.calls[position] = (call, outcome)
        self.journal.done.append(effect.kind)
        return outcome


def _run(journal: Journal) -> None:
    async def main() -> None:
        world = JournalledWorld(Sequence(journal), asyncio.get_running_loop())
        await asyncio.to_thread(_program, world)

    asyncio.run(main())


def _program(world: JournalledWorld) -> None:
    prepared = prepare_run(MemoryPackage(files(CLASSES, MODEL)), EvaluationRequest(), world=world)
    session = prepared.session
    assert session is not None, prepared.findings
    assert session.runtime.root is not None
    session.call(session.runtime.root, "deploy")


def _changes(journal: Journal) -> list[str]:
    return sorted(kind for kind in journal.done if not EffectKind(kind).only_looks)


def test_a_program_that_is_cut_off_goes_on_where_it_was() -> None:
    whole = Journal()
    _run(whole)
    assert _changes(whole).count("agent.call") == 3
    for most in (3, 9, 17, len(whole.done) - 1):
        journal = Journal()
        journal.most = most
        with pytest.raises(asyncio.CancelledError):
            _run(journal)
        journal.most = 10_000
        _run(journal)
        assert _changes(journal).count("agent.call") == 3, most
        assert _changes(journal).count("heat.create") == 1, most
        before = list(journal.done)
        _run(journal)
        assert journal.done == before, "what is recorded is not done again"


def test_a_failure_has_the_name_that_programs_know() -> None:
    journal = Journal({"heat": {"failures": [{"operation": "create", "nth": 1, "http": 400}]}})
    with pytest.raises(NativeError) as failure:
        _run(journal)
    assert failure.value.names == ("heatclient.exc.HTTPBadRequest",)
