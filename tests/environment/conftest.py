from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sabir.environment import ENVIRONMENT, parts, render
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.plugins import Plugins
from sabir.source.packages import load_package
from tests.environment.lines import LINES
from tests.support.files import write_files

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
        return write_files(tmp_path, files)

    return run


@pytest.fixture
def evaluate(write: Write) -> Evaluate:
    def run(files: dict[str, str]) -> Evaluation:
        request = EvaluationRequest(full_provenance=True)
        return ENVIRONMENT.evaluate(load_package(write(files)), request)

    return run
