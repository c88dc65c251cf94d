"""Counters of the server in the format of Prometheus."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from time import perf_counter

from litestar.types import ASGIApp, Message, Receive, Scope, Send
from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest


class Measures:
    """The counters in a separate registry, so that two servers in one process do not share them."""

    def __init__(self, jobs: Callable[[], Mapping[str, int]]) -> None:
        self._registry = CollectorRegistry()
        self._jobs = jobs
        ProcessCollector(registry=self._registry)
        self._requests = Counter(
            "sabir_requests", "Requests.", ["method", "route", "status"], registry=self._registry
        )
        self._seconds = Histogram(
            "sabir_request_seconds", "How long requests took.", ["route"], registry=self._registry
        )
        self._uploads = Counter("sabir_uploads", "Packages sent.", ["outcome"], registry=self._registry)
        self._open = Gauge("sabir_jobs", "Jobs that wait or run.", ["state"], registry=self._registry)

    def count_request(self, method: str, route: str, status: int, seconds: float) -> None:
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(route).observe(seconds)

    def count_upload(self, *, stored: bool) -> None:
        self._uploads.labels("stored" if stored else "refused").inc()

    def text(self) -> bytes:
        for state, count in self._jobs().items():
            self._open.labels(state).set(count)
        return generate_latest(self._registry)


def build_middleware(measures: Measures) -> Callable[[ASGIApp], ASGIApp]:
    """Return a middleware that counts every request by its path template."""

    def middleware(app: ASGIApp) -> ASGIApp:
        async def answer(scope: Scope, receive: Receive, send: Send) -> None:
            began, method = perf_counter(), str(scope.get("method", "?"))

            async def sent(message: Message) -> None:
                if message["type"] == "http.response.start":
                    route = scope.get("path_template") or "?"
                    measures.count_request(method, route, message["status"], perf_counter() - began)
                await send(message)

            await app(scope, receive, sent)

        return answer

    return middleware
