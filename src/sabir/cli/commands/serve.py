"""`sabir serve`: the service."""

from __future__ import annotations

import os
from collections.abc import Generator
from contextlib import closing, contextmanager
from typing import TYPE_CHECKING

from sabir.cli.declare import argument, flag, option, sabir_command
from sabir.cli.parameter_types import PATH, Number, WordChoice
from sabir.cli.session_options import trust_option
from sabir.cli.terminal import print_status, write_text
from sabir.extras import missing_extra

if TYPE_CHECKING:
    from pathlib import Path


_LOOPBACK = ("127.0.0.1", "::1", "localhost")


@sabir_command(
    "serve",
    examples=[
        ("sabir serve data/", "on http://127.0.0.1:8642; the first start prints a token"),
        ("sabir serve data/ --state postgresql://sabir@db/sabir", "remember in PostgreSQL"),
        ("sabir serve data/ --new-token ci --role operator --days 90", "give somebody a token, and stop"),
    ],
    notes="""
    DATA is the folder of the service; it is made when it is not there. It listens on the loopback address; --host lets others in:
    put it behind a proxy that speaks TLS then, and say --behind-tls. It needs the extra: pip install 'sabir[serve]'.
    """,
)
@argument("data", type=PATH, metavar="DATA")
@option("--host", default="127.0.0.1", metavar="ADDRESS", help="Listen there. [default: 127.0.0.1]")
@option("--port", type=Number(int, least=0), default=8642, metavar="PORT", help="[default: 8642]")
@option("--state", metavar="FILE|URL", help="The database. [default: DATA/state.db]")
@option(
    "--requests-a-minute",
    "requests_a_minute",
    type=Number(int, least=1),
    default=6000,
    metavar="N",
    help="Of one address, before it is told to wait. [default: 6000]",
)
@flag("--behind-tls", help="A proxy speaks TLS: cookies are sent over it only.")
@trust_option(section="Environments of Murano's API")
@option("--new-token", metavar="NAME", help="Make a token for somebody, print it, and stop.")
@option(
    "--role",
    type=WordChoice("reader", "operator", "admin"),
    default="reader",
    help="What the new token may do. [default: reader]",
)
@option("--days", type=Number(int, least=1), metavar="N", help="The new token expires after so many days.")
def command(
    *,
    data: Path,
    host: str,
    port: int,
    state: str | None,
    requests_a_minute: int,
    behind_tls: bool,
    trust: tuple[str, ...],
    new_token: str | None,
    role: str,
    days: int | None,
) -> int:
    """Serve packages, environments and deployments over HTTP, with a page to look at them."""
    from sabir.operations.parallel import safe_child_imports

    try:
        from sabir.server import run
        from sabir.server.service import SabirService
        from sabir.server.settings import ServerSettings
        from sabir.server.store.tokens import Role
    except ImportError as error:
        raise missing_extra("serve", "the service", error) from error
    with _private_files() as umask, safe_child_imports():  # its pools of processes start with the service
        settings = ServerSettings(
            data=data,
            state=state,
            host=host,
            port=port,
            requests_a_minute=requests_a_minute,
            behind_tls=behind_tls,
            trust=trust,
            job_umask=umask,
        )
        if new_token is not None:
            write_text(run.new_token(settings, new_token, Role(role), days=days) + "\n")
            return 0
        with closing(run.open_socket(settings)) as listening, closing(SabirService(settings)) as service:
            token, url = run.first_token(service), run.server_url(settings, listening)
            if token is not None:
                print_status(f"sabir: the first token, with all rights; it is not shown again: {token}")
            if host not in _LOOPBACK and not behind_tls:
                print_status(
                    "sabir: others can reach this service, and tokens travel in clear: put it behind TLS, and say --behind-tls"
                )
            print_status(f"sabir: serving on {url}; Ctrl-C stops")
            if token is not None:
                print_status(f"sabir: the page, signed in with that token: {url}/#/token/{token}")
            run.run_server(service, listening)
        return 0


@contextmanager
def _private_files() -> Generator[int]:
    """Create files for their owner only; yields the umask that was set before, which jobs get back."""
    umask = os.umask(0o077)
    try:
        yield umask
    finally:
        os.umask(umask)
