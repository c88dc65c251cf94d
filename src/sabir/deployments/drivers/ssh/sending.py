"""What is sent to a host: a command short enough for every shell, and the hands as the first line of its input.

Nothing is written to the host's disk, and nothing that a description holds stands on a command line.
"""

from __future__ import annotations

import shlex
from importlib.resources import files
from typing import Any, Final

from sabir.deployments.host_agent.wire import encode

__all__ = ["first_line", "start_command"]

_HANDS: Final = "sabir.deployments.host_agent"
# It has to be understood by every Python there ever was, so that an old one can say that it is too old.
_START: Final = (
    "import sys;"
    "sys.version_info >= (3, 9) or sys.exit('this is Python %d.%d' % tuple(sys.version_info[:2]));"
    "import json, os;"
    "lines = os.fdopen(os.dup(0), 'rb');"
    "sent = json.loads(lines.readline());"
    "exec(sent['begin'])"
)
_BEGIN: Final = """\
import importlib.abc
import importlib.util

class Sent(importlib.abc.InspectLoader):
    def find_spec(self, name, path=None, target=None):
        return importlib.util.spec_from_loader(name, self) if name in sent["modules"] else None

    def is_package(self, name):
        return name in sent["packages"]

    def get_source(self, name):
        return sent["modules"][name]

sys.meta_path.insert(0, Sent())
from sabir.deployments.host_agent.server import serve
serve(lines, sent["settings"])
"""


def start_command(python: str, *, sudo: bool) -> str:
    """`-I`: neither variables nor files of the account change what is imported."""
    words = ["sudo", "-n", "--"] if sudo else []
    return "exec " + shlex.join([*words, python, "-I", "-c", _START])


def first_line(settings: dict[str, Any]) -> bytes:
    packages = dict.fromkeys(("sabir", "sabir.deployments"), "")
    modules = {
        f"{_HANDS}.{file.name.removesuffix('.py')}".removesuffix(".__init__"): file.read_text("utf-8")
        for file in files(_HANDS).iterdir()
        if file.name.endswith(".py")
    }
    return encode(
        {
            "begin": _BEGIN,
            "packages": [*packages, _HANDS],
            "modules": {**packages, **modules},
            "settings": settings,
        }
    )
