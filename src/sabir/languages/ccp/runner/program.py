"""The command line of the runner, and the life of a container from start to end."""

from __future__ import annotations

import argparse
import json
import logging
import os
import subprocess
import sys
import time
from typing import Any

from .commands import (
    CommandFailed,
    StopRequest,
    Supervisor,
    client_environment,
    exit_code,
)
from .etcd import Etcd, EtcdUnavailable
from .files import FileFailed, render_files, write_files
from .settings import RunnerSettings, SetupError, read_settings
from .status import DependencyTimeout, ProbeFailure, UnitStatus, answer_probe
from .templates import TemplateRenderError

LOG = logging.getLogger("ccp-runner")
_TICK = 0.2


def provision_container(settings: RunnerSettings, etcd: Etcd, supervisor: Supervisor) -> int:
    """Write files, wait for dependencies, run commands and the daemon. Return the exit code."""
    return _Provision(settings, etcd, supervisor).run()


class _Provision:
    def __init__(self, settings: RunnerSettings, etcd: Etcd, supervisor: Supervisor) -> None:
        self.settings = settings
        self.supervisor = supervisor
        self.status = UnitStatus(settings, etcd)
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


_TERMINATION_LOG = "/dev/termination-log"
"""What Kubernetes keeps of a container that ended, and shows to whoever asks why."""


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="ccp-runner", description="Runs a container or a single command of CCP."
    )
    parser.add_argument(
        "action",
        choices=["provision", "status", "files"],
        help="run it; answer the readiness probe; only write the files",
    )
    parser.add_argument("name", help="the container or single command")
    parser.add_argument("--show", action="store_true", help="files: print them as JSON instead")
    options = parser.parse_args(arguments)
    _leave_python_home()
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stderr)
    try:
        settings = read_settings(options.name)
        if options.action == "files":
            return _output_files(settings, show=options.show)
        etcd = Etcd(settings.connection, timeout=settings.patience.etcd_timeout)
        if options.action == "status":
            answer_probe(settings, etcd)
            return 0
        supervisor = Supervisor(settings.patience.stop_grace)
        supervisor.listen()
        return provision_container(settings, etcd, supervisor)
    except ProbeFailure as error:
        LOG.info("not ready: %s", error)
        return 1
    except CommandFailed as error:
        _end_with(error)
        return error.code
    except StopRequest as stopped:
        LOG.info("%s", stopped)
        return 128 + stopped.number
    except (SetupError, FileFailed, TemplateRenderError, DependencyTimeout, EtcdUnavailable) as error:
        _end_with(error)
        return 1


def _leave_python_home() -> None:
    """Unset the home of a provided interpreter, which programs of the image must not use."""
    home = os.environ.pop("CCP_PYTHONHOME", None)
    if home is not None:
        os.environ.pop("PYTHONHOME", None)
        if home:
            os.environ["PYTHONHOME"] = home


def _end_with(error: Exception) -> None:
    """Report why the container ends: in its log and, if possible, in its termination message."""
    LOG.error("%s", error)
    path = os.environ.get("CCP_TERMINATION_LOG") or _TERMINATION_LOG
    if os.path.isfile(path):
        try:
            with open(path, "w", encoding="utf-8") as words:
                words.write(str(error)[:2000])
        except OSError as problem:
            LOG.debug("%s: cannot be written: %s", path, problem)


def _output_files(settings: RunnerSettings, *, show: bool) -> int:
    if show:
        json.dump([*render_files(settings, settings.templates())], sys.stdout)
    else:
        write_files(settings, settings.templates())
    return 0
