"""The source tree keeps its rules; what does not keep them yet is listed in a baseline that may only get shorter.

`python -m tests.support.source_tree` prints the figures.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.source_tree import (
    SourceModule,
    class_words,
    duplicate_classes,
    function_words,
    import_share,
    is_participle,
    one_word_share,
    participle_classes,
    participle_functions,
    read_modules,
    undocumented,
    untested_modules,
)

BASELINE = tomllib.loads(Path(__file__).with_name("layout_baseline.toml").read_text(encoding="utf-8"))
MODULES = read_modules()


@pytest.mark.parametrize(
    ("rule", "find"),
    [
        ("participle_functions", participle_functions),
        ("participle_classes", participle_classes),
        ("duplicate_classes", duplicate_classes),
        ("untested_modules", untested_modules),
    ],
)
def test_offenders_are_in_the_baseline(rule: str, find: Callable[[list[SourceModule]], set[str]]) -> None:
    found, allowed = find(MODULES), set(BASELINE[rule])
    assert found <= allowed, f"{rule}: fix these, or add them to layout_baseline.toml with a reason"
    assert allowed <= found, f"{rule}: remove these from layout_baseline.toml"


def test_shares() -> None:
    functions, classes = undocumented(MODULES)
    limits = BASELINE["shares"]
    assert one_word_share(MODULES) <= limits["one_word_functions"]
    assert import_share(MODULES) <= limits["imports"]
    assert functions <= limits["undocumented_functions"]
    assert classes <= limits["undocumented_classes"]


@pytest.mark.parametrize(
    ("word", "expected"),
    [
        ("moved", True),
        ("asking", True),
        ("told", True),
        ("unwritten", True),
        ("find", False),
        ("string", False),
        ("need", False),
    ],
)
def test_is_participle(word: str, *, expected: bool) -> None:
    assert is_participle(word) is expected


def test_words() -> None:
    assert function_words("_moved_records") == ["moved", "records"]
    assert class_words("HTTPServerError") == ["HTTP", "Server", "Error"]


def test_a_module_is_read(tmp_path: Path) -> None:
    path = tmp_path / "sample.py"
    path.write_text(
        "import os\n\n\nclass Placed:\n    def moved(self): ...\n\n    @property\n    def shown(self): ...\n\n\ndef look(): ...\n"
    )
    module = SourceModule("sample", path)
    assert participle_functions([module]) == {"sample:Placed.moved"}
    assert participle_classes([module]) == {"sample:Placed"}
    assert one_word_share([module]) == 1.0
    assert module.import_lines == 1
    assert undocumented([module]) == (1.0, 1.0)
