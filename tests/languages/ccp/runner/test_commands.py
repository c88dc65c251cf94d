"""Signals that come while a command is being started."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Callable, Iterator, Mapping

import pytest

from sabir.languages.ccp.runner.commands import FORWARDED, StopRequest, Supervisor


class _Interrupting(Mapping[str, str]):
    """An environment; while it is read, this process is told to end."""

    def __getitem__(self, key: str) -> str:
        raise KeyError(key)

    def __iter__(self) -> Iterator[str]:
        os.kill(os.getpid(), signal.SIGTERM)
        return iter(())

    def __len__(self) -> int:
        return 1


@pytest.fixture
def supervisor() -> Iterator[Supervisor]:
    before = {number: signal.getsignal(number) for number in FORWARDED}
    listening = Supervisor(stop_grace=20)
    listening.listen()
    yield listening
    for number, handler in before.items():
        signal.signal(number, handler)


def _daemon(supervisor: Supervisor) -> None:
    supervisor.start_daemon("exec sleep 60", environment=_Interrupting())
    supervisor.end_daemon()


def _command(supervisor: Supervisor) -> None:
    with pytest.raises(StopRequest):
        supervisor.run("exec sleep 60", environment=_Interrupting())


@pytest.mark.parametrize("start", [_daemon, _command])
def test_a_signal_during_the_start_reaches_the_process(
    supervisor: Supervisor, start: Callable[[Supervisor], None]
) -> None:
    began = time.monotonic()
    start(supervisor)
    assert time.monotonic() - began < 10
