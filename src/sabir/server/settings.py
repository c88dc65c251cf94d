"""Settings of the service."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct


class ConnectionLimits(Struct, frozen=True, kw_only=True):
    most: int = 800
    """At the same time; one more takes the place of one that has no request under way."""
    header_seconds: float = 15
    """Until the headers of a request are complete."""
    body_seconds: float = 20
    """That the application may wait for a body in all, beyond the time that the slowest rate allows."""
    slowest: float = 500
    """Bytes a second of a body that is long."""


class ServerSettings(Struct, frozen=True, kw_only=True):
    data: Path
    """Its folder: packages and environments as files."""
    state: str | None = None
    """The database, shared with deployments: a file or `postgresql://…`; None: `state.db` in the folder."""
    host: str = "127.0.0.1"
    port: int = 8642
    upload_limit: int = 16 << 20
    """Bytes of an uploaded package."""
    body_limit: int = 4 << 20
    """Bytes of any other request."""
    requests_a_minute: int = 6000
    """Of one address, before it is told to wait."""
    connections: ConnectionLimits = ConnectionLimits()
    """How many connections there may be, and how slowly requests may come."""
    jobs: int = 4
    """Deployments at the same time."""
    jobs_waiting: int = 200
    """Jobs that wait for their turn, before more are refused."""
    trust: tuple[str, ...] = ()
    """Leave for the environments that come through Murano's API, which knows no leave of its own: words of `--trust`."""
    job_umask: int = -1
    """The umask of jobs, where it is not that of the service; -1: the same."""
    behind_tls: bool = False
    """Cookies are sent over TLS only."""

    @property
    def database(self) -> str:
        return self.state or str(self.data.absolute() / "state.db")

    @property
    def murano(self) -> Path:
        """What the descriptions of these environments have beside their model: `targets`, `lifecycle`."""
        return self.data.absolute() / "murano.yaml"

    @property
    def packages(self) -> Path:
        return self.data.absolute() / "packages"

    @property
    def environments(self) -> Path:
        return self.data.absolute() / "environments"
