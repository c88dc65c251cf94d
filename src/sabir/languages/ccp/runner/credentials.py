"""OpenStack credentials for the commands of its clients: 89 of the real command lines count on them."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from typing import Any

from sabir.languages.ccp.runner.addresses import address_function
from sabir.languages.ccp.runner.connection import authority_file

__all__ = ["CLIENTS", "client_environment"]

CLIENTS = ("openstack", "cinder", "glance", "heat", "ironic", "murano", "neutron", "nova", "sahara", "swift")
"""Commands whose first word is one of these, unless `runner.credentials` of the configuration lists others."""


def client_environment(
    command: str, variables: Mapping[str, Any], mapping: Mapping[str, str]
) -> dict[str, str]:
    """OS_… for a command of a client; nothing for others, and nothing without an account in the configuration."""
    options = _mapping(variables.get("runner"))
    clients = options.get("credentials", CLIENTS)
    account = _mapping(variables.get("openstack"))
    keystone = _mapping(variables.get("keystone"))
    if not clients or _first_word(command) not in clients or "user_name" not in account:
        return {}
    address = address_function(variables, mapping)
    port = keystone.get("admin_port") or keystone.get("public_port")
    domain = str(account.get("domain_name") or "default")
    environment = {
        "OS_IDENTITY_API_VERSION": "3",
        "OS_INTERFACE": "internal",
        "OS_USERNAME": str(account["user_name"]),
        "OS_PASSWORD": str(account.get("user_password") or ""),
        "OS_PROJECT_NAME": str(account.get("project_name") or account["user_name"]),
        "OS_USER_DOMAIN_NAME": domain,
        "OS_PROJECT_DOMAIN_NAME": domain,
        "OS_AUTH_URL": address("keystone", port, with_scheme=True) + "/v3",
    }
    if _mapping(keystone.get("tls")).get("enabled"):
        environment["OS_CACERT"] = authority_file()
    return environment


def _first_word(command: str) -> str:
    try:
        words = shlex.split(command, comments=True)
    except ValueError:
        words = command.split()
    # Assignments before the command belong to it.
    return next((word for word in words if "=" not in word), "")


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
