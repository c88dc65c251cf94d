"""What a container does from its start to its end."""

from __future__ import annotations

import logging
import time
from typing import Any

from .commands import CommandFailed, Supervisor, exit_code
from .etcd import Etcd
from .files import write_files
from .settings import Settings
from .status import Status

__all__ = ["provision"]

LOG = logging.getLogger("ccp-runner")
_TICK = 0.2


def provision(settings: Settings, etcd: Etcd, supervisor: Supervisor) -> int:
    """Files, dependencies, commands, daemon; the exit status."""
    workflow = settings.workflow
    status = Status(settings, etcd)
    write_files(settings)
    status.wait_for(workflow.get("dependencies") or [], supervisor)
    job = workflow.get("job")
    if job is not None:
        LOG.info("running %s", settings.unit)
        supervisor.run(job["command"], job.get("user"), settings.patience.command_timeout)
        status.publish_job()
        LOG.info("%s is done", settings.unit)
        return 0
    for command in workflow.get("pre") or []:
        _run_local(settings, status, supervisor, command)
    return _run_daemon(settings, status, supervisor)


def _run_local(settings: Settings, status: Status, supervisor: Supervisor, command: dict[str, Any]) -> None:
    status.wait_for(command.get("dependencies") or [], supervisor)
    LOG.info("running %s", command.get("name") or command["command"])
    supervisor.run(command["command"], command.get("user"), settings.patience.command_timeout)


def _run_daemon(settings: Settings, status: Status, supervisor: Supervisor) -> int:
    daemon = settings.workflow["daemon"]
    process = supervisor.start_daemon(daemon["command"], daemon.get("user"))
    LOG.info("started the daemon, process %d", process.pid)
    try:
        _survive(process, settings.patience.daemon_grace, supervisor)
        for command in settings.workflow.get("post") or []:
            _run_local(settings, status, supervisor, command)
        status.publish_done()
        while process.poll() is None:
            time.sleep(_TICK)
            status.keep()
    finally:
        supervisor.end_daemon(settings.patience.stop_grace)
        status.withdraw()
    code = exit_code(process.returncode)
    LOG.info("the daemon ended with status %d", code)
    return code


def _survive(process: Any, grace: float, supervisor: Supervisor) -> None:
    """A daemon that ends within its first seconds has failed, whatever status it ends with."""
    deadline = time.monotonic() + grace
    while time.monotonic() < deadline:
        code = process.poll()
        if code is not None and supervisor.stopping is None:
            raise CommandFailed(
                f"the daemon ended at once, with status {exit_code(code)}", exit_code(code) or 1
            )
        supervisor.check()
        time.sleep(min(_TICK, max(grace / 10, 0.01)))
