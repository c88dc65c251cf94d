"""What a container does from its start to its end."""

from __future__ import annotations

import logging
import subprocess
import time
from typing import Any

from sabir.languages.ccp.runner.commands import CommandFailed, Supervisor, exit_code
from sabir.languages.ccp.runner.credentials import client_environment
from sabir.languages.ccp.runner.etcd import Etcd
from sabir.languages.ccp.runner.files import write_files
from sabir.languages.ccp.runner.settings import Settings
from sabir.languages.ccp.runner.status import Status

__all__ = ["provision"]

LOG = logging.getLogger("ccp-runner")
_TICK = 0.2


def provision(settings: Settings, etcd: Etcd, supervisor: Supervisor) -> int:
    """Files, dependencies, commands, daemon; the exit status."""
    return _Provision(settings, etcd, supervisor).run()


class _Provision:
    def __init__(self, settings: Settings, etcd: Etcd, supervisor: Supervisor) -> None:
        self.settings = settings
        self.supervisor = supervisor
        self.status = Status(settings, etcd)
        self.templates = settings.templates()

    def run(self) -> int:
        workflow = self.settings.workflow
        write_files(self.settings, self.templates)
        job = workflow.get("job")
        if job is not None:
            self.status.begin_job(self.supervisor)
        self.status.wait_for(workflow.get("dependencies") or [], self.supervisor)
        if job is not None:
            self._run_command(job)
            self.status.publish_job()
            LOG.info("%s is done", self.settings.unit)
            return 0
        for command in workflow.get("pre") or []:
            self._run_local(command)
        return self._run_daemon(workflow["daemon"])

    def _run_local(self, command: dict[str, Any]) -> None:
        self.status.wait_for(command.get("dependencies") or [], self.supervisor)
        self._run_command(command)

    def _run_command(self, command: dict[str, Any]) -> None:
        text = self.templates.command(command["command"])
        LOG.info("running %s", command.get("name") or self.settings.unit)
        self.supervisor.run(
            text,
            command.get("user"),
            timeout=self.settings.patience.command_timeout,
            environment=self._environment(text),
        )

    def _environment(self, command: str) -> dict[str, str]:
        return client_environment(command, self.settings.variables, self.settings.mapping)

    def _run_daemon(self, daemon: dict[str, Any]) -> int:
        text = self.templates.command(daemon["command"])
        process = self.supervisor.start_daemon(text, daemon.get("user"), self._environment(text))
        LOG.info("started the daemon, process %d", process.pid)
        try:
            self._survive(process)
            for command in self.settings.workflow.get("post") or []:
                self._run_local(command)
            self.status.publish_done()
            while process.poll() is None and self.supervisor.stopping is None:
                time.sleep(_TICK)
                self.supervisor.reap()
                self.status.keep()
        finally:
            self.status.withdraw()
            self.supervisor.end_daemon()
        code = exit_code(process.returncode)
        LOG.info("the daemon ended with status %d", code)
        return code

    def _survive(self, process: subprocess.Popen[bytes]) -> None:
        """A daemon that ends within its first seconds has failed, whatever status it ends with."""
        grace = self.settings.patience.daemon_grace
        deadline = time.monotonic() + grace
        while time.monotonic() < deadline:
            code = process.poll()
            if code is not None and self.supervisor.stopping is None:
                raise CommandFailed(
                    f"the daemon ended at once, with status {exit_code(code)}", exit_code(code) or 1
                )
            self.supervisor.check()
            time.sleep(min(_TICK, max(grace / 10, 0.01)))
