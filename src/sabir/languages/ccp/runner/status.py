"""Status keys: what others wait for, and how the readiness probe is answered.

    /ccp/NAMESPACE/status/global/SERVICE/NAME/ready      ready on some node
    /ccp/NAMESPACE/status/NODE/SERVICE/NAME/ready        ready on this node
    /ccp/NAMESPACE/status/pods/POD/SERVICE/NAME/done     its daemon and its local commands have started in this pod

A container's keys stand under a lease and fade when it dies; those of a Job that succeeded stay.
"""

from __future__ import annotations

import logging
import time
import urllib.error
import urllib.request
from functools import partial
from typing import Any

from .commands import CommandFailed, Supervisor
from .etcd import Etcd, EtcdUnavailable
from .settings import Settings

__all__ = ["DependencyTimeout", "NotReady", "Status", "answer_probe", "dependency_key"]

LOG = logging.getLogger("ccp-runner")
_LOCAL = ":local"


class DependencyTimeout(Exception):
    """A dependency did not come in time."""


class NotReady(Exception):
    """The readiness probe fails, for this reason."""


def dependency_key(settings: Settings, dependency: str) -> str:
    local = dependency.endswith(_LOCAL)
    unit = dependency[: -len(_LOCAL)] if local else dependency
    return _key(settings, settings.node if local else "global", unit, "ready")


def _key(settings: Settings, where: str, unit: str, what: str) -> str:
    return f"/ccp/{settings.namespace}/status/{where}/{unit}/{what}"


class Status:
    def __init__(self, settings: Settings, etcd: Etcd) -> None:
        self.settings = settings
        self.etcd = etcd
        self._lease: str | None = None
        self._kept = 0.0

    def wait_for(self, dependencies: list[str], supervisor: Supervisor) -> None:
        """Until every dependency is ready; raises `DependencyTimeout` that names the keys still missing."""
        missing = list(dict.fromkeys(dependencies))
        if not missing:
            return
        patience = self.settings.patience
        deadline = time.monotonic() + patience.dependency_timeout
        LOG.info("waiting for %s", ", ".join(missing))
        trouble = ""
        while True:
            missing, problem = self._still_missing(missing)
            if not missing:
                return
            if problem and not trouble:
                LOG.warning("%s; trying again", problem)
            trouble = problem
            if time.monotonic() >= deadline:
                keys = ", ".join(dependency_key(self.settings, one) for one in missing)
                message = f"waited {patience.dependency_timeout:g} s for {', '.join(missing)}: no key {keys}"
                raise DependencyTimeout(f"{message} ({trouble})" if trouble else message)
            supervisor.pause(min(patience.poll_interval, max(deadline - time.monotonic(), 0.05)))

    def _still_missing(self, wanted: list[str]) -> tuple[list[str], str]:
        missing: list[str] = []
        for position, one in enumerate(wanted):
            try:
                ready = self.etcd.get(dependency_key(self.settings, one)) is not None
            except EtcdUnavailable as error:
                return missing + wanted[position:], str(error)
            if ready:
                LOG.info("%s is ready", one)
            else:
                missing.append(one)
        return missing, ""

    def publish_job(self) -> None:
        """A single command succeeded: for good."""
        for where in ("global", self.settings.node):
            key = _key(self.settings, where, self.settings.unit, "ready")
            self.etcd.patiently(partial(self.etcd.put, key, "1"), self.settings.patience.etcd_retry)

    def publish_done(self) -> None:
        self.etcd.patiently(self._put_done, self.settings.patience.etcd_retry)

    def _put_done(self) -> None:
        self._lease = self.etcd.grant(self.settings.patience.status_ttl)
        self.etcd.put(self._done_key(), "1", self._lease)
        self._kept = time.monotonic()

    def _done_key(self) -> str:
        return _key(self.settings, "pods/" + self.settings.pod, self.settings.unit, "done")

    def keep(self) -> None:
        """Renew the lease when a third of its time is over; etcd being away is no reason to stop the daemon."""
        if self._lease is None or time.monotonic() - self._kept < self.settings.patience.status_ttl / 3:
            return
        try:
            if self.etcd.keep_alive(self._lease):
                self._kept = time.monotonic()
            else:
                LOG.warning("the lease is gone; publishing the status anew")
                self._put_done()
        except EtcdUnavailable as error:
            LOG.warning("%s; the status may fade", error)
            self._kept = time.monotonic() - self.settings.patience.status_ttl / 3 + 1

    def withdraw(self) -> None:
        """The daemon ended: do not wait for the lease to run out."""
        if self._lease is None:
            return
        try:
            self.etcd.revoke(self._lease)
        except EtcdUnavailable as error:
            LOG.warning("%s; the status fades by itself", error)

    def is_done(self) -> bool:
        return self.etcd.get(self._done_key()) is not None

    def publish_ready(self) -> None:
        lease = self.etcd.grant(self.settings.patience.status_ttl)
        for where in ("global", self.settings.node):
            self.etcd.put(_key(self.settings, where, self.settings.unit, "ready"), "1", lease)


def answer_probe(settings: Settings, etcd: Etcd) -> None:
    """The readiness probe: started, its own check is well, and then others are told. Raises `NotReady`."""
    status = Status(settings, etcd)
    try:
        if not status.is_done():
            raise NotReady("the daemon has not started yet")
        _check(settings.workflow.get("readiness"))
        status.publish_ready()
    except EtcdUnavailable as error:
        raise NotReady(str(error)) from error
    except CommandFailed as error:
        raise NotReady(f"the readiness check fails: {error}") from error


def _check(readiness: Any) -> None:
    if readiness is None:
        return
    if isinstance(readiness, str):
        Supervisor().run(readiness)
    elif readiness.get("type") == "httpGet":
        _check_http(readiness)
    else:
        Supervisor().run(readiness["command"], timeout=float(readiness.get("timeout") or 0))


def _check_http(readiness: Any) -> None:
    scheme = str(readiness.get("scheme") or "http").lower()
    path = str(readiness["path"])
    url = f"{scheme}://127.0.0.1:{readiness['port']}{path if path.startswith('/') else '/' + path}"
    try:
        with urllib.request.urlopen(url, timeout=float(readiness.get("timeout") or 5)):
            return
    except (OSError, urllib.error.URLError) as error:
        raise NotReady(f"{url}: {error}") from error
