"""The command line of the runner."""

from __future__ import annotations

import argparse
import logging
import sys

from .commands import CommandFailed, Stopped, Supervisor
from .etcd import Etcd, EtcdUnavailable
from .files import FileFailed, write_files
from .provision import provision
from .settings import SetupError, read_settings
from .status import DependencyTimeout, NotReady, answer_probe

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
    options = parser.parse_args(arguments)
    logging.basicConfig(format="%(asctime)s %(levelname)s %(message)s", level=logging.INFO, stream=sys.stderr)
    supervisor = Supervisor()
    try:
        settings = read_settings(options.name)
        if options.action == "files":
            write_files(settings)
            return 0
        etcd = Etcd(
            settings.endpoints, timeout=settings.patience.etcd_timeout, ca_certificate=settings.ca_certificate
        )
        if options.action == "status":
            answer_probe(settings, etcd)
            return 0
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
    except (SetupError, FileFailed, DependencyTimeout, EtcdUnavailable) as error:
        LOG.error("%s", error)
        return 1
