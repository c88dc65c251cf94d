"""Functions by name, without running the Python that defines them."""

from __future__ import annotations

import pytest

from sabir.languages.inmanta.model.functions import function_names, modules_with_plugins
from sabir.languages.inmanta.syntax.project import load_project
from sabir.source.packages import MemoryPackage


@pytest.mark.parametrize(
    ("python", "names"),
    [
        ("@plugin\ndef f(): ...\n", {"m::f"}),
        ('@plugin("g")\ndef f(): ...\n', {"m::g"}),
        ("@plugins.plugin(allow_unknown=True)\ndef f(): ...\n", {"m::f"}),
        ("def f(): ...\nraise SystemExit\n", set[str]()),
        ("@plugin\ndef f(x):\n    newer syntax\n", {"m::f"}),
    ],
)
def test_plugins_are_read_from_their_text(python: str, names: set[str]) -> None:
    files = {
        "main.cf": "import m\n",
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "",
        "libs/m/plugins/__init__.py": python,
    }
    project = load_project(MemoryPackage(files))
    assert {name for name in function_names(project) if not name.startswith("std::")} == names
    assert [module.name for module in modules_with_plugins(project)] == (["m"] if names else [])


def test_the_functions_of_std_are_those_that_run() -> None:
    from sabir.languages.inmanta.library.std.plugins import REGISTRY

    names = function_names(load_project(MemoryPackage({"main.cf": ""})))
    assert names == {f"std::{plugin.name}" for plugin in REGISTRY.plugins}
