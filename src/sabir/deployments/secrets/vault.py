"""Secrets from the key-value store of Vault, version 2: `{vault: {path: shop/db, field: password}}`.

The address is said, or comes from VAULT_ADDR; the token always comes from the operator: VAULT_TOKEN, or ~/.vault-token.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

from sabir.deployments.drivers.responses import (
    InvalidResponseError,
    decode_json,
    describe_mismatch,
    read_response,
)
from sabir.diagnostics.reasons import explain_error
from sabir.errors import DeployError
from sabir.extras import require_extra
from sabir.resources.driver import DriverContext
from sabir.resources.fields import Field, FieldType

_SECONDS: Final = 30.0
_LARGEST: Final = 4 << 20


class _Entry(Struct, frozen=True):
    data: dict[str, Any]


class _Answer(Struct, frozen=True):
    data: _Entry


class Vault:
    name: Final = "vault"
    main: Final = "path"

    def settings(self) -> Mapping[str, Field]:
        return {
            "path": Field(about="the entry, below the mount", required=True),
            "field": Field(about="which of its values", required=True),
            "mount": Field(about="where the store is mounted; default secret"),
            "address": Field(about="of the server; else VAULT_ADDR"),
            "timeout": Field(about="seconds it may take; default 30", type=FieldType.NUMBER),
        }

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        with require_extra("http", "it"):
            import httpx2
        url = f"{_find_address(settings, context)}/v1/{settings.get('mount') or 'secret'}/data/{settings['path']}"
        seconds = float(settings.get("timeout") or _SECONDS)
        try:
            async with httpx2.AsyncClient(timeout=seconds) as client:
                request = client.build_request("GET", url, headers={"X-Vault-Token": _read_token(context)})
                response, content = await read_response(client, request, seconds=seconds, largest=_LARGEST)
            if response.status_code == 200:
                return _extract_value(decode_json(content), settings)
        except InvalidResponseError as error:
            raise DeployError(f"{url}: {error}") from error
        except (httpx2.HTTPError, httpx2.InvalidURL, OSError) as error:
            raise DeployError(f"{url} does not answer: {explain_error(error)}") from error
        raise DeployError(f"{url} answers {response.status_code}: {_describe_status(response.status_code)}")


def _find_address(settings: Mapping[str, Any], context: DriverContext) -> str:
    """A description that names the server gets the operator's token sent there, so it has to be the operator's server."""
    operators = context.session.environment.get("VAULT_ADDR")
    named = settings.get("address")
    if named is not None and operators != named and not context.session.trust.network:
        raise DeployError(f"the token would go to {named}: allow it with --trust network, or set VAULT_ADDR")
    address = named or operators
    if not address:
        raise DeployError("there is no address of Vault: say `address:`, or set VAULT_ADDR")
    return str(address).rstrip("/")


def _read_token(context: DriverContext) -> str:
    variables = context.session.environment
    if variables.get("VAULT_TOKEN"):
        return variables["VAULT_TOKEN"]
    file = Path(variables.get("HOME", "/nonexistent")) / ".vault-token"
    try:
        return file.read_text(encoding="ascii").strip()
    except OSError as error:
        raise DeployError(
            "there is no token for Vault: set VAULT_TOKEN, or log in (~/.vault-token)"
        ) from error


def _describe_status(status: int) -> str:
    words = {403: "the token may not read it", 404: "there is no such entry"}
    return words.get(status, "it cannot be read")


def _extract_value(answer: Any, settings: Mapping[str, Any]) -> str:
    if describe_mismatch(answer, _Answer) is not None:
        raise DeployError("the answer is not that of a key-value store of version 2")
    data: dict[str, Any] = answer["data"]["data"]
    if settings["field"] not in data:
        raise DeployError(f"{settings['path']} has no field {settings['field']!r}: {', '.join(data)[:200]}")
    return str(data[settings["field"]])


PROVIDER: Final = Vault()
