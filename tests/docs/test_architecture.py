"""The page on the architecture lists the modules of five requests: each imports the next, and the request loads them."""

from __future__ import annotations

import ast
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "architecture.md"
MOST = 6
ROWS = dict(
    re.findall(r"^\| `([^`]+)` \| (`cli.*|`server.*) \|$", PAGE.read_text(encoding="utf-8"), re.MULTILINE)
)
"""Modules by request."""
FLAGS = {"sabir deploy examples/shop": ("--yes", "--trust", "scripts", "--target", "site/index")}

LOADED = """
import sys
from sabir.cli.main import main
status = main(sys.argv[1:])
print(status, *(name for name in sys.modules if name.startswith('sabir.')), file=sys.stderr)
"""


def imported_modules(name: str) -> set[str]:
    """Return what a module imports, also inside functions."""
    path = ROOT / "src" / Path(*name.split("."))
    path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None:
            found |= {node.module, *(f"{node.module}.{alias.name}" for alias in node.names)}
    return found


def test_there_are_five_requests() -> None:
    assert len(ROWS) == 5


@pytest.mark.parametrize("row", ROWS)
def test_a_module_imports_the_next(row: str) -> None:
    names = [f"sabir.{name}" for name in re.findall(r"`([\w.]+)`", ROWS[row])]
    arrows = re.findall(r"[→⇢]", ROWS[row])
    assert len(names) <= MOST
    for module, arrow, following in zip(names, arrows, names[1:], strict=False):
        assert (following in imported_modules(module)) == (arrow == "→"), (module, following)


@pytest.mark.parametrize("row", [row for row in ROWS if row.startswith("sabir ")])
def test_a_request_loads_its_modules(row: str, tmp_path: Path) -> None:
    shutil.copytree(ROOT / "examples", tmp_path / "examples", ignore=shutil.ignore_patterns(".sabir"))
    words = [*row.split()[1:], *FLAGS.get(row, ())]
    done = subprocess.run(
        [sys.executable, "-c", LOADED, *words], cwd=tmp_path, capture_output=True, text=True, check=True
    )
    status, *modules = done.stderr.splitlines()[-1].split()
    assert status == "0", done.stderr
    assert {f"sabir.{name}" for name in re.findall(r"`([\w.]+)`", ROWS[row])} <= {*modules}
