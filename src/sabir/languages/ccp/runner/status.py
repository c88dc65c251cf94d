"""Status keys: what others wait for, and how the readiness probe is answered.

    /ccp/NAMESPACE/status/global/SERVICE/NAME/ready/POD      ready in this pod, on some node
    /ccp/NAMESPACE/status/NODE/SERVICE/NAME/ready/POD        ready in this pod, on this node
    /ccp/NAMESPACE/status/global/SERVICE/NAME/ready          a Job that succeeded; the same for its node
    /ccp/NAMESPACE/status/pods/POD/SERVICE/NAME/done         its daemon and its local commands have started in this pod

The keys of a container stand under one lease, which its runner keeps and `done` names: they go when the container ends, and
fade when it dies. Pods of one service do not touch each other's keys. Those of a Job stay. Should etcd lose its data, every
runner writes its own keys again, and those of the Jobs that it saw done.

The check of a readiness probe: a command, or an HTTP request to the daemon.
"""

from __future__ import annotations

import logging
import ssl
import time
import urllib.error
import urllib.request
from functools import partial
from typing import Any

from .commands import CommandFailed, Supervisor, client_environment
from .etcd import Etcd, EtcdEntry, EtcdUnavailable
from .settings import RunnerSettings
from .templates import TemplateRenderError


class ProbeFailure(Exception):
    """Raised if the readiness probe fails, with the reason."""


def check_readiness(settings: RunnerSettings) -> None:
    """Run the check; raise `ProbeFailure`, or `CommandFailed` of its command."""
    readiness = settings.workflow.get("readiness")
    if readiness is None:
        return
    if isinstance(readiness, dict) and readiness.get("type") == "httpGet":
        _check_http(settings, readiness)
        return
    text = readiness if isinstance(readiness, str) else readiness["command"]
    timeout = 0.0 if isinstance(readiness, str) else float(readiness.get("timeout") or 0)
    command = settings.templates().command(text)
    environment = client_environment(command, settings.variables, settings.mapping)
    Supervisor().run(command, timeout=timeout, environment=environment)


def _check_http(settings: RunnerSettings, readiness: dict[str, Any]) -> None:
    """Send the request to the pod address and the loopback address: a daemon may listen on either."""
    scheme = str(readiness.get("scheme") or "http").lower()
    path = str(readiness["path"])
    path = path if path.startswith("/") else "/" + path
    timeout = float(readiness.get("timeout") or 5)
    hosts = [settings.variables["network_topology"]["private"]["address"], "127.0.0.1"]
    problems = []
    for host in dict.fromkeys(hosts):
        url = f"{scheme}://{host}:{readiness['port']}{path}"
        try:
            with urllib.request.urlopen(url, timeout=timeout, context=_build_ssl_context(settings, scheme)):
                return
        except (OSError, urllib.error.URLError) as error:
            problems.append(f"{url}: {error}")
    raise ProbeFailure("; ".join(problems))


def _build_ssl_context(settings: RunnerSettings, scheme: str) -> ssl.SSLContext | None:
    """Return the TLS settings of a probe.

    Certificates are issued for names, and a probe uses an address. They are verified only on request
    (`runner.verify_probes`), and then only their issuer.
    """
    if scheme != "https":
        return None
    context = ssl.create_default_context(cadata=settings.connection.ca_certificate)
    context.check_hostname = False
    if not settings.options.get("verify_probes"):
        context.verify_mode = ssl.CERT_NONE
    return context


LOG = logging.getLogger("ccp-runner")
_LOCAL = ":local"
_WITHDRAW_TIMEOUT = 2.0
"""Seconds that etcd has to answer when the container ends."""


class DependencyTimeout(Exception):
    """Raised if a dependency did not become ready in time."""


def dependency_key(settings: RunnerSettings, dependency: str) -> str:
    """Return the key of a Job, which is the prefix of the keys of a container's pods."""
    local = dependency.endswith(_LOCAL)
    unit = dependency[: -len(_LOCAL)] if local else dependency
    return _status_key(settings, settings.node if local else "global", unit, "ready")


def _status_key(settings: RunnerSettings, where: str, unit: str, state: str) -> str:
    return f"/ccp/{settings.namespace}/status/{where}/{unit}/{state}"


class UnitStatus:
    def __init__(self, settings: RunnerSettings, etcd: Etcd) -> None:
        self.settings = settings
        self.etcd = etcd
        self._lease: str | None = None
        self._kept = 0.0
        self._jobs_seen: dict[str, EtcdEntry] = {}

    def wait_for(self, dependencies: list[str], supervisor: Supervisor) -> None:
        """Wait until every dependency is ready; raise `DependencyTimeout` with the missing keys."""
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
            key = dependency_key(self.settings, one)
            try:
                ready = [
                    entry
                    for entry in self.etcd.below(key)
                    if entry.key == key or entry.key.startswith(key + "/")
                ]
            except EtcdUnavailable as error:
                return missing + wanted[position:], str(error)
            self._jobs_seen.update({entry.key: entry for entry in ready if not entry.leased})
            if ready:
                LOG.info("%s is ready", one)
            else:
                missing.append(one)
        return missing, ""

    # -- a Job -----------------------------------------------------------------------------------------------------

    def begin_job(self, supervisor: Supervisor) -> None:
        """Delete the success of an earlier run. etcd may start later than the Job."""
        deadline = time.monotonic() + self.settings.patience.dependency_timeout
        waiting = self._job_keys()
        told = False
        while waiting:
            try:
                self.etcd.delete(waiting[0])
                waiting.pop(0)
            except EtcdUnavailable as error:
                if time.monotonic() > deadline:
                    raise
                if not told:
                    LOG.warning("%s; trying again", error)
                told = True
                supervisor.pause(self.settings.patience.poll_interval)

    def publish_job(self) -> None:
        """Record permanently that a single command succeeded."""
        for key in self._job_keys():
            put = partial(self.etcd.put, key, "1")
            self.etcd.patiently(put, self.settings.patience.etcd_retry)

    def _job_keys(self) -> list[str]:
        places = ("global", self.settings.node)
        return [_status_key(self.settings, where, self.settings.unit, "ready") for where in places]

    # -- a container -----------------------------------------------------------------------------------------------

    def publish_done(self) -> None:
        self.etcd.patiently(self._put_done, self.settings.patience.etcd_retry)

    def _put_done(self) -> None:
        self._lease = self.etcd.grant(self.settings.patience.status_ttl)
        self.etcd.put(self._completion_key(), self._lease, self._lease)
        self._kept = time.monotonic()

    def _completion_key(self) -> str:
        return _status_key(self.settings, "pods/" + self.settings.pod, self.settings.unit, "done")

    def _ready_keys(self) -> list[str]:
        return [f"{key}/{self.settings.pod}" for key in self._job_keys()]

    def keep(self) -> None:
        """Renew the lease after a third of its time; an unavailable etcd does not stop the daemon."""
        if self._lease is None or time.monotonic() - self._kept < self.settings.patience.status_ttl / 3:
            return
        try:
            if self.etcd.keep_alive(self._lease):
                self._kept = time.monotonic()
            else:
                LOG.warning("the lease is gone; publishing the status anew")
                self._put_done()
                for entry in self._jobs_seen.values():
                    self.etcd.put_if_absent(entry.key, entry.value)
        except EtcdUnavailable as error:
            LOG.warning("%s; the status may fade", error)
            self._kept = time.monotonic() - self.settings.patience.status_ttl / 3 + 1

    def withdraw(self) -> None:
        """Delete the keys, because the container ends."""
        if self._lease is None:
            return
        self.etcd.timeout = min(self.etcd.timeout, _WITHDRAW_TIMEOUT)
        try:
            self.etcd.revoke(self._lease)
        except EtcdUnavailable as error:
            LOG.warning("%s; the status fades by itself", error)
        self._lease = None

    # -- its readiness probe, a process of its own -----------------------------------------------------------------

    def lease_of_runner(self) -> str | None:
        """Return the lease, or None until everything has started."""
        return self.etcd.get(self._completion_key())

    def waits_for(self) -> str:
        """Return the keys that keep the container from starting, for its events."""
        workflow = self.settings.workflow
        wanted = [*(workflow.get("dependencies") or [])]
        for command in (*(workflow.get("pre") or []), *(workflow.get("post") or [])):
            wanted += command.get("dependencies") or []
        missing, _ = self._still_missing(list(dict.fromkeys(wanted)))
        keys = ", ".join(dependency_key(self.settings, one) for one in missing)
        return f"waits for {', '.join(missing)}: no key {keys}" if missing else ""

    def publish_ready(self, lease: str) -> None:
        for key in self._ready_keys():
            self.etcd.put(key, "1", lease)

    def publish_unready(self) -> None:
        for key in self._ready_keys():
            self.etcd.delete(key)


def answer_probe(settings: RunnerSettings, etcd: Etcd) -> None:
    """Answer the readiness probe: started, its check succeeds, status published; else `ProbeFailure`."""
    status = UnitStatus(settings, etcd)
    try:
        lease = status.lease_of_runner()
        if lease is None:
            raise ProbeFailure(status.waits_for() or "the daemon has not started yet")
        try:
            check_readiness(settings)
        except (ProbeFailure, CommandFailed, TemplateRenderError) as error:
            status.publish_unready()
            raise ProbeFailure(f"the readiness check fails: {error}") from error
        status.publish_ready(lease)
    except EtcdUnavailable as error:
        raise ProbeFailure(str(error)) from error
