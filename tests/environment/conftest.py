from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sabir.environment import ENVIRONMENT, parts, render
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.plugins import Plugins
from sabir.source.packages import load_package
from tests.environment.lines import LINES

Write = Callable[[dict[str, str]], Path]
Evaluate = Callable[[dict[str, str]], Evaluation]


@pytest.fixture(autouse=True)
def _only_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    plugins = Plugins(loaded={"environment": ENVIRONMENT, "lines": LINES})
    for module in (parts, render):
        monkeypatch.setattr(module, "load_plugins", lambda group: plugins)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def run(files: dict[str, str]) -> Path:
        for name, text in files.items():
            (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
            (tmp_path / name).write_text(text, encoding="utf-8")
        return tmp_path

    return run


@pytest.fixture
def evaluate(write: Write) -> Evaluate:
    def run(files: dict[str, str]) -> Evaluation:
        request = EvaluationRequest(full_provenance=True)
        return ENVIRONMENT.evaluate(load_package(write(files)), request)

    return run
