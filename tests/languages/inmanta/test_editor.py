"""Plugins for editors: the names under which models call them."""

from __future__ import annotations

import pytest

from sabir.languages.inmanta import editor
from sabir.source.packages import MemoryPackage, PackageFile

TEXT = "from inmanta.plugins import plugin as p\n@p\nasync def f(a: int) -> int:\n    return a\n"


@pytest.mark.parametrize(
    ("file", "keys"),
    [
        ("libs/m/plugins/__init__.py", ["m::f"]),
        ("libs/m/plugins/foo.py", ["m::foo::f", "m::f"]),
        ("libs/m/plugins/sub/__init__.py", ["m::sub::f", "m::f"]),
        ("libs/m/plugins/sub/bar.py", ["m::sub::bar::f", "m::f"]),
        ("libs/m/inmanta_plugins/m/__init__.py", ["m::f"]),
        ("libs/m/inmanta_plugins/m/sub/bar.py", ["m::sub::bar::f", "m::f"]),
    ],
)
def test_the_names_of_a_plugin(file: str, keys: list[str]) -> None:
    names = editor.file_names(MemoryPackage({file: TEXT}), PackageFile(file, TEXT.encode()))
    (symbol,) = names.symbols
    assert [symbol.key, *symbol.aliases] == [f"function {key}" for key in keys]
    assert TEXT[symbol.span.start : symbol.span.end + 1] == "f("
