"""Engine settings that programs read with `config(group, setting)` and that system classes use."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from sabir.errors import InputError

_DEFAULTS: Final[Mapping[str, Mapping[str, Any]]] = {
    "rabbitmq": {
        "host": "localhost",
        "port": 5672,
        "login": "guest",
        "password": "guest",
        "virtual_host": "/",
        "ssl": False,
        "insecure": False,
        "ca_certs": "",
    },
    "networking": {
        "max_environments": 250,
        "max_hosts": 250,
        "env_ip_template": "10.0.0.0",
        "default_dns": (),
        "router_name": "murano-default-router",
        "create_router": True,
        "external_network": "ext-net",
    },
    "engine": {
        "disable_murano_agent": False,
        "agent_timeout": 3600,
        "agent_source": "murano-agent",
        "signing_key": None,
    },
    "heat": {"stack_tags": ("murano",)},
    "DEFAULT": {"home_region": None, "file_server": ""},
}


def _plain_groups() -> dict[str, Mapping[str, Any]]:
    return {}


class EngineSettings(Struct, frozen=True, kw_only=True):
    """Groups of settings, and the identity that the program runs for."""

    groups: Mapping[str, Mapping[str, Any]] = field(default_factory=_plain_groups)
    user: str = "user"
    project: str = "project"

    def get(self, group: str, name: str) -> Any:
        """Return a setting; raise `KeyError` if it is unknown."""
        section = {**_DEFAULTS.get(group, {}), **self.groups.get(group, {})}
        return section[name]

    def group(self, name: str) -> dict[str, Any]:
        return {**_DEFAULTS.get(name, {}), **self.groups.get(name, {})}


def read_settings(path: Path) -> dict[str, dict[str, Any]]:
    """Return the groups of an ini file of the original engine; strings are converted to the type of the setting."""
    import configparser

    parser = configparser.ConfigParser(interpolation=None, strict=False)
    parser.read_string(path.read_text("utf-8-sig"), source=str(path))
    groups: dict[str, dict[str, Any]] = {}
    for name in parser.sections():
        own = parser[name]
        groups[name] = {
            key: _convert_setting(name, key, text)
            for key, text in own.items()
            if key not in parser.defaults()
        }
    if parser.defaults():
        groups["DEFAULT"] = {
            key: _convert_setting("DEFAULT", key, text) for key, text in parser.defaults().items()
        }
    return groups


def _convert_setting(group: str, name: str, text: str) -> Any:
    usual = _DEFAULTS.get(group, {}).get(name)
    if isinstance(usual, bool):
        return text.strip().lower() in ("1", "true", "yes", "on")
    if isinstance(usual, int):
        try:
            return int(text)
        except ValueError:
            raise InputError(f"[{group}] {name} is a number, not {text!r}") from None
    if isinstance(usual, tuple):
        return tuple(part.strip() for part in text.split(",") if part.strip())
    return text
