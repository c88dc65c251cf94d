"""`python -m tests.server.endure SCHEMATHESIS`: the service is asked whatever its OpenAPI document allows; it must never fail.

SCHEMATHESIS is the program; it has an environment of its own. What takes tokens away is left out, or nothing else would be reached.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from tests.server.conftest import archive
from tests.server.live import Live, live_service
from tests.server.test_environments import DESCRIPTION

__all__ = ["main"]

EXAMPLES = 100


def main(program: str) -> int:
    with (
        tempfile.TemporaryDirectory() as data,
        live_service(Path(data), "--requests-a-minute", "1000000") as service,
    ):
        identifiers = _seed(service)
        settings = Path(data) / "schemathesis.toml"
        settings.write_text(_settings(identifiers))
        line = [program, "--config-file", str(settings), "run", f"{service.url}/api/1/schema/openapi.json"]
        line += ["-H", f"Authorization: Bearer {service.token}", "--checks", "not_a_server_error"]
        line += ["--phases", "examples,coverage,fuzzing", "-n", str(EXAMPLES), "--request-timeout", "60"]
        line += ["--exclude-path-regex", "tokens/|/events$|/stop$"]
        return subprocess.run(line, check=False).returncode


def _seed(service: Live) -> dict[str, str]:
    """Something that can be asked about."""
    package = _send(service, "POST", "/api/1/packages", archive())
    environment = _send(service, "POST", "/api/1/environments", b'{"name": "seed"}', "application/json")
    murano = _send(service, "POST", "/v1/environments", b'{"name": "murano"}', "application/json")
    where = f"/api/1/environments/{environment['id']}"
    _send(service, "PUT", f"{where}/files/sabir.yaml", DESCRIPTION.encode())
    return {"package_id": package["id"], "environment_id": environment["id"], "murano_id": murano["id"]}


def _settings(identifiers: dict[str, str]) -> str:
    """Half of the requests reach what there is; deletions would end that, so they make up their ids."""
    package, environment = identifiers["package_id"], identifiers["environment_id"]
    return (
        f'[parameters]\n"path.package_id" = "{package}"\n"path.environment_id" = "{environment}"\n'
        '[[operations]]\ninclude-method = "DELETE"\n'
        'parameters = { "path.package_id" = "gone", "path.environment_id" = "gone" }\n'
        '[[operations]]\ninclude-path-regex = "^/v1/"\n'
        f'parameters = {{ "path.environment_id" = "{identifiers["murano_id"]}" }}\n'
    )


def _send(
    service: Live, method: str, path: str, content: bytes, kind: str = "application/octet-stream"
) -> dict[str, str]:
    headers = {"Authorization": f"Bearer {service.token}", "Content-Type": kind}
    request = urllib.request.Request(service.url + path, content, headers, method=method)
    with urllib.request.urlopen(request) as answer:
        data: dict[str, str] = json.load(answer)
        return data


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
