"""Our own user data in the words of the cases: the text is free, the values in it count."""

from __future__ import annotations

import configparser
import re
from collections.abc import Mapping
from typing import Any

__all__ = ["shown_user_data"]

_OURS = ("result_exchange", "ca_certs")  # entries that say nothing about this machine
_HEREDOC = re.compile(r"<<'(\w+)'\n(.*?)^\1$", re.DOTALL | re.MULTILINE)


def shown_user_data(template: Any) -> Any:
    """A template in which scripts that set up an agent stand as what they tell the agent."""
    if isinstance(template, Mapping):
        return {key: _shown(key, value) for key, value in template.items()}
    return [shown_user_data(item) for item in template] if isinstance(template, list) else template


def _shown(key: Any, value: Any) -> Any:
    if key == "cloud_config" and isinstance(value, Mapping):
        return {"$cloudConfig": dict(value)}
    if key in ("config", "user_data") and isinstance(value, str):
        if "END_OF_AGENT_CONFIGURATION" in value:
            return {"$agentUserData": _linux(value)}
        if value.startswith("#ps1"):
            return {"$agentUserData": _windows(value)}
    return shown_user_data(value)


def _linux(script: str) -> dict[str, Any]:
    files = dict(_HEREDOC.findall(script))
    parser = configparser.ConfigParser(interpolation=None)
    parser.read_string(files["END_OF_AGENT_CONFIGURATION"])
    broker = {
        key: text for key, text in parser["rabbitmq"].items() if key not in (*_OURS, *parser.defaults())
    }
    source = re.search(r"pip install --quiet '(.*)'", script)
    return {
        "platform": "linux",
        "agentConfig": broker,
        "agentSource": source[1] if source else None,
        "caCert": files["END_OF_CA_CERTIFICATE"].strip(),
    }


def _windows(script: str) -> dict[str, Any]:
    values = dict(re.findall(r"^\$(\w+) = '(.*)'$", script, re.MULTILINE))
    return {
        "platform": "windows",
        "agentConfig": dict(re.findall(r"^    '([\w.]+)' = '(.*)'$", script, re.MULTILINE)),
        "hostname": values["hostName"],
        "fileShare": values["fileShare"],
    }
