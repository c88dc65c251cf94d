"""Commands whose libraries are not installed say which extra brings them."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sabir.extras import missing_extra

WITHOUT = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] == sys.argv[1]:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Missing())
from sabir.cli.main import main
sys.exit(main(sys.argv[2:]))
"""


@pytest.mark.parametrize(
    ("library", "words", "extra"),
    [
        ("litestar", ["serve", "data"], "serve"),
        ("uvicorn", ["serve", "data"], "serve"),
        ("pygls", ["lsp"], "lsp"),
        ("sqlalchemy", ["plan", "."], "deploy"),
        ("sqlalchemy", ["deploy", "."], "deploy"),
        ("sqlalchemy", ["status", "."], "deploy"),
        ("sqlalchemy", ["history", "."], "deploy"),
        ("sqlalchemy", ["destroy", "."], "deploy"),
    ],
    ids=lambda words: words[0] if isinstance(words, list) else words,
)
def test_the_extra_is_named(library: str, words: list[str], extra: str, tmp_path: Path) -> None:
    (tmp_path / "main.cf").write_text('std::Host(name="web", os=std::linux)\n', encoding="utf-8")
    words = [sys.executable, "-c", WITHOUT, library, *words]
    done = subprocess.run(
        words, capture_output=True, text=True, check=False, stdin=subprocess.DEVNULL, cwd=tmp_path
    )
    assert done.returncode == 2
    assert done.stderr.endswith(f"{library} for one: pip install 'sabir[{extra}]'\n")


def test_a_missing_module_of_sabir_is_a_fault() -> None:
    with pytest.raises(ImportError):
        missing_extra("serve", "the service", ImportError("no", name="sabir.server.gone"))
