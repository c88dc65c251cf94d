"""The command line of the runner."""

from __future__ import annotations

import argparse
import json
import logging
import os
import sys

from sabir.languages.ccp.runner.commands import CommandFailed, Stopped, Supervisor
from sabir.languages.ccp.runner.etcd import Etcd, EtcdUnavailable
from sabir.languages.ccp.runner.files import FileFailed, rendered_files, write_files
from sabir.languages.ccp.runner.probes import NotReady
from sabir.languages.ccp.runner.provision import provision
from sabir.languages.ccp.runner.settings import Settings, SetupError, read_settings
from sabir.languages.ccp.runner.status import DependencyTimeout, answer_probe
from sabir.languages.ccp.runner.templates import TemplateFailed

__all__ = ["main"]

LOG = logging.getLogger("ccp-runner")
_LAST_WORDS = "/dev/termination-log"
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
            return _files(settings, show=options.show)
        etcd = Etcd(settings.connection, timeout=settings.patience.etcd_timeout)
        if options.action == "status":
            answer_probe(settings, etcd)
            return 0
        supervisor = Supervisor(settings.patience.stop_grace)
        supervisor.listen()
        return provision(settings, etcd, supervisor)
    except NotReady as error:
        LOG.info("not ready: %s", error)
        return 1
    except CommandFailed as error:
        _end_with(error)
        return error.code
    except Stopped as stopped:
        LOG.info("%s", stopped)
        return 128 + stopped.number
    except (SetupError, FileFailed, TemplateFailed, DependencyTimeout, EtcdUnavailable) as error:
        _end_with(error)
        return 1


def _leave_python_home() -> None:
    """An interpreter that was brought to the container has a home of its own; programs of the image must not look there."""
    home = os.environ.pop("CCP_PYTHONHOME", None)
    if home is not None:
        os.environ.pop("PYTHONHOME", None)
        if home:
            os.environ["PYTHONHOME"] = home


def _end_with(error: Exception) -> None:
    """Tell why the container ends: in its log and, where there is a place for it, in its status."""
    LOG.error("%s", error)
    path = os.environ.get("CCP_TERMINATION_LOG") or _LAST_WORDS
    if os.path.isfile(path):
        try:
            with open(path, "w", encoding="utf-8") as words:
                words.write(str(error)[:2000])
        except OSError as problem:
            LOG.debug("%s: cannot be written: %s", path, problem)


def _files(settings: Settings, *, show: bool) -> int:
    if show:
        json.dump([*rendered_files(settings, settings.templates())], sys.stdout)
    else:
        write_files(settings, settings.templates())
    return 0
