"""The workers of a scheduler: what they offer, and calls that one of them carries out, once.

Where the scheduler of the workers is: `dask://host:8786`, or `dask+tls://host:8786` with the certificates of dask's own settings.
"""

from __future__ import annotations

import asyncio
import contextlib
import ipaddress
import uuid
from collections.abc import Iterator, Sequence
from time import monotonic
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from msgspec import Struct

from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError, UnreachableError, UsageError
from sabir.extras import require_extra

if TYPE_CHECKING:
    from sabir.deployments.cluster.child import BatchJob
    from sabir.deployments.cluster.worker import WorkerCall, WorkerResponse


_PORT = 8786


class SchedulerAddress(Struct, frozen=True):
    host: str
    port: int
    tls: bool

    def __str__(self) -> str:
        """As dask writes it."""
        return f"{'tls' if self.tls else 'tcp'}://{self.host}:{self.port}"


def scheduler_address(url: str) -> SchedulerAddress:
    """Secrets go to workers with the calls that need them, so in clear they stay on this machine."""
    try:
        parts = urlsplit(url)
        port = parts.port
    except ValueError as error:
        raise UsageError(f"--executor {url!r}: {explain_error(error)}") from error
    if parts.scheme not in ("dask", "dask+tls") or not parts.hostname:
        raise UsageError(f"--executor {url!r}: write dask://HOST:PORT, or dask+tls://HOST:PORT")
    address = SchedulerAddress(parts.hostname, port or _PORT, parts.scheme == "dask+tls")
    if not address.tls and not _is_here(address.host):
        raise UsageError(
            f"--executor {url!r}: what is sent could be read on the way; write dask+tls://, with dask's settings for TLS"
        )
    return address


def _is_here(host: str) -> bool:
    try:
        return host == "localhost" or ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


_CONNECT_SECONDS: Final = 10
_LOOK_SECONDS: Final = 5.0
_NOBODY_SECONDS: Final = 60.0
_RETRIES: Final = 2


class ResponseMissingError(DeployError):
    """A call was given to a worker, and it cannot be told whether it was carried out."""


class WorkerCluster:
    """Connected when it is needed first."""

    def __init__(self, url: str) -> None:
        self.url = url
        self.address = scheduler_address(url)
        self._client: Any = None

    def client(self) -> Any:
        """It blocks until the scheduler answers."""
        if self._client is None:
            self._client = self._connect()
        return self._client

    def _connect(self) -> Any:
        with require_extra("cluster", "--executor"):
            import distributed

            from sabir.deployments.cluster.worker import ConnectionKeeper
        try:
            untyped: Any = distributed
            security = _build_security(untyped) if self.address.tls else None
            client = untyped.Client(
                str(self.address), security=security, timeout=_CONNECT_SECONDS, set_as_default=False
            )
            client.register_plugin(ConnectionKeeper())
        except (OSError, TimeoutError, ValueError, RuntimeError) as error:
            raise UnreachableError(
                f"the scheduler {self.url} cannot be used: {explain_error(error)}"
            ) from error
        return client

    def labels(self) -> frozenset[str]:
        """What the workers offer: sites, networks."""
        return frozenset(label for offered in self._offers() for label in offered)

    def serves(self, labels: tuple[str, ...]) -> bool:
        """Whether a worker has all of these labels."""
        return any(offered.issuperset(labels) for offered in self._offers())

    def _offers(self) -> list[frozenset[str]]:
        workers = self.client().scheduler_info(n_workers=-1)["workers"].values()
        return [frozenset(worker["resources"]) for worker in workers]

    async def run_call(self, call: WorkerCall) -> WorkerResponse:
        """Let a worker do it; `AnswerMissing` when nobody knows whether one has."""
        future = await asyncio.to_thread(self._submit_call, call)
        ended = asyncio.Event()
        loop = asyncio.get_running_loop()
        future.add_done_callback(lambda _: _signal_end(loop, ended))
        try:
            await self._wait(ended, call)
            return await asyncio.to_thread(_read_response, future)
        finally:
            future.cancel()
            future.release()

    def run_batch_jobs(self, errands: Sequence[BatchJob]) -> Iterator[list[Any]]:
        """Let workers do work that changes nothing; what comes of each item, in order. One that dies is made up for by another."""
        from sabir.deployments.cluster.child import run_batch_job

        client = self.client()
        if not self._offers():
            raise UnreachableError(f"the scheduler {self.url} has no workers")
        futures = [client.submit(run_batch_job, errand, pure=False, retries=_RETRIES) for errand in errands]
        try:
            for future, errand in zip(futures, errands, strict=True):
                yield self._results(future, errand)
                future.release()
        finally:
            for future in futures:
                future.cancel()

    def _results(self, future: Any, errand: BatchJob) -> list[Any]:
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        from sabir.deployments.cluster.child import ProcessExit

        nobody_since: float | None = None
        while not future.done():
            with contextlib.suppress(TimeoutError):
                future.result(timeout=_LOOK_SECONDS)
            if self._offers():
                nobody_since = None
            elif nobody_since is None:
                nobody_since = monotonic()
            elif monotonic() - nobody_since > _NOBODY_SECONDS:
                raise UnreachableError(f"the scheduler {self.url} has no workers any more")
        try:
            results: list[Any] = future.result(timeout=_CONNECT_SECONDS)
        except DeployError:
            raise
        except (KilledWorker, CancelledError) as error:
            return [
                ProcessExit(f"the workers did not answer: {type(error).__name__} {error}")
                for _ in errand.items
            ]
        except Exception as error:  # a worker without sabir, or with another Python, fails in many ways
            raise UnreachableError(
                f"the workers of {self.url} cannot do it: {type(error).__name__} {error}"
            ) from error
        return results

    def _submit_call(self, call: WorkerCall) -> Any:
        from sabir.deployments.cluster.worker import run_call

        return self.client().submit(
            run_call,
            call,
            key=f"sabir-{call.verb}-{call.target.name}-{uuid.uuid4().hex}",
            resources=dict.fromkeys(call.target.labels, 1),
            pure=False,
            retries=0,
        )

    async def _wait(self, ended: asyncio.Event, call: WorkerCall) -> None:
        """Until there is an answer, or nobody who could give one for a while."""
        nobody_since: float | None = None
        clock = asyncio.get_running_loop().time
        while True:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(ended.wait(), _LOOK_SECONDS)
                return
            if await asyncio.to_thread(self.serves, call.target.labels):
                nobody_since = None
            elif nobody_since is None:
                nobody_since = clock()
            elif clock() - nobody_since > _NOBODY_SECONDS:
                raise ResponseMissingError(
                    f"no worker of {self.url} has {_describe_labels(call.target.labels)} any more"
                )


def _build_security(distributed: Any) -> Any:
    security = distributed.Security(require_encryption=True)
    if security.get_connection_args("client").get("ssl_context") is None:
        raise UsageError(
            "dask+tls:// needs certificates in dask's settings, which are not there: distributed.comm.tls.ca-file, "
            "and .client.cert and .client.key below distributed.comm.tls"
        )
    return security


def _signal_end(loop: asyncio.AbstractEventLoop, ended: asyncio.Event) -> None:
    with contextlib.suppress(RuntimeError):  # whoever waited is gone
        loop.call_soon_threadsafe(ended.set)


def _read_response(future: Any) -> WorkerResponse:
    from concurrent.futures import CancelledError

    try:
        answer: WorkerResponse = future.result(timeout=_CONNECT_SECONDS)
    except (Exception, CancelledError) as error:  # whatever a worker died of
        raise ResponseMissingError(
            f"the worker did not answer: {type(error).__name__} {error}".strip()
        ) from error
    if answer.was_claimed:
        raise ResponseMissingError("the worker that had begun it is gone")
    if answer.refusal is not None:
        raise (UnreachableError if answer.is_unreachable else DeployError)(answer.refusal)
    return answer


def _describe_labels(labels: tuple[str, ...]) -> str:
    return f"the labels {', '.join(labels)}" if labels else "room"
