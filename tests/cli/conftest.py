from pathlib import Path

import pytest

from sabir.operations import packages
from tests.support.toy import TOY

MODEL = """\
host db
  ip = 10.0.0.2
host web
  ip = 10.0.0.1
  url = http:// $web.ip :80
  target = $web.url -> $db.ip
  loop = $web.loop
  password ! hush
  shown = $web.password
  > db
"""


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> None:
    """The toy language is the only one there is."""
    only = packages.Languages(by_name={"toy": TOY})
    monkeypatch.setattr(packages, "load_languages", lambda: only)


@pytest.fixture
def model(tmp_path: Path, toy: None) -> Path:
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "main.toy").write_text(MODEL, encoding="utf-8")
    return folder
