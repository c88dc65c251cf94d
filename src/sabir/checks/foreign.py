"""What is reported when foreign Python had to be stopped."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule

__all__ = ["WORKER_LOST"]

_MODULE: Final = {
    "main.cf": "import m\nx = m::f()\n",
    "libs/m/module.yml": "name: m\n",
    "libs/m/model/_init.cf": "",
}
_PLUGIN: Final = "from inmanta.plugins import plugin\n\n@plugin\ndef f() -> int:\n"

WORKER_LOST: Final = Rule(
    code="E920",
    title="foreign Python had to be stopped",
    why="Where sabir lives long (a service, an editor) plug-ins and Python functions of a project run in a worker process. It "
    "took too much time or memory, ended itself, or was asked to stop, so there is no result. Other projects go on.",
    bad={**_MODULE, "libs/m/plugins/__init__.py": _PLUGIN + "    while True:\n        pass\n"},
    good={**_MODULE, "libs/m/plugins/__init__.py": _PLUGIN + "    return 1\n"},
    when="evaluate",
)
