"""Settings of the server: directories, addresses and limits."""

from __future__ import annotations

from pathlib import Path

from msgspec import Struct


class ConnectionLimits(Struct, frozen=True, kw_only=True):
    """Limits on the number of connections and on slow requests."""

    most: int = 800
    """Maximum number of connections; one more replaces an idle connection."""
    header_seconds: float = 15
    """Deadline for the headers of a request."""
    body_seconds: float = 20
    """Total time to wait for a body, in addition to the time that the minimum rate allows."""
    slowest: float = 500
    """Minimum rate of a long body in bytes per second."""


class ServerSettings(Struct, frozen=True, kw_only=True):
    """All settings of one server; paths are derived from `data`."""

    data: Path
    """The data directory: packages and environments as files."""
    state: str | None = None
    """The database, shared with deployments: a file or `postgresql://…`; None: `state.db` in the folder."""
    host: str = "127.0.0.1"
    port: int = 8642
    upload_limit: int = 16 << 20
    """Bytes of an uploaded package."""
    body_limit: int = 4 << 20
    """Bytes of any other request."""
    requests_a_minute: int = 6000
    """Rate limit per client address."""
    connections: ConnectionLimits = ConnectionLimits()
    """Limits on connections and slow requests."""
    jobs: int = 4
    """Maximum number of concurrent jobs."""
    jobs_waiting: int = 200
    """Maximum number of queued jobs; more are refused."""
    trust: tuple[str, ...] = ()
    """Permissions (`--trust`) of environments of Murano's API, which has no permissions itself."""
    job_umask: int = -1
    """The umask of jobs; -1 for that of the server."""
    behind_tls: bool = False
    """Cookies are sent over TLS only."""

    @property
    def database(self) -> str:
        return self.state or str(self.data.absolute() / "state.db")

    @property
    def murano(self) -> Path:
        """Return the file with settings that environments of Murano's API have besides their model:
        `targets`, `lifecycle`.
        """
        return self.data.absolute() / "murano.yaml"

    @property
    def packages(self) -> Path:
        return self.data.absolute() / "packages"

    @property
    def environments(self) -> Path:
        return self.data.absolute() / "environments"
