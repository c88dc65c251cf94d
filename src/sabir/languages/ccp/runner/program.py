"""The command line of the runner."""

from __future__ import annotations

import argparse
import json
import logging
import sys

from .commands import CommandFailed, Stopped, Supervisor
from .etcd import Etcd, EtcdUnavailable
from .files import FileFailed, rendered_files, write_files
from .probes import NotReady
from .provision import provision
from .settings import Settings, SetupError, read_settings
from .status import DependencyTimeout, answer_probe
from .templates import TemplateFailed

__all__ = ["main"]

LOG = logging.getLogger("ccp-runner")


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
        LOG.error("%s", error)
        return error.code
    except Stopped as stopped:
        LOG.info("%s", stopped)
        return 128 + stopped.number
    except (SetupError, FileFailed, TemplateFailed, DependencyTimeout, EtcdUnavailable) as error:
        LOG.error("%s", error)
        return 1


def _files(settings: Settings, *, show: bool) -> int:
    if show:
        json.dump([*rendered_files(settings, settings.templates())], sys.stdout)
    else:
        write_files(settings, settings.templates())
    return 0
