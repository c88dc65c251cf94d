"""The sample plug-in is installed beside sabir, as a user would, and does what its README says."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

PLUGIN = Path(__file__).parents[2] / "examples" / "plugin"
SAMPLE = "sample"


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder into which pip has installed the plug-in; nothing is fetched for it."""
    target = tmp_path_factory.mktemp("site")
    source = tmp_path_factory.mktemp("source") / "plugin"
    # pip builds inside the source folder; the one of the project is to stay as it is.
    subprocess.run([sys.executable, "-c", COPY, str(PLUGIN), str(source)], check=True)
    command = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-index",
        "--no-build-isolation",
    ]
    done = subprocess.run(
        [*command, "--disable-pip-version-check", "--target", str(target), str(source)],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return target


COPY = "import shutil, sys; shutil.copytree(sys.argv[1], sys.argv[2])"


def sabir(site: Path, *words: str) -> subprocess.CompletedProcess[str]:
    environment = {
        **os.environ,
        "PYTHONPATH": str(site),
        "XDG_CACHE_HOME": str(site / "cache"),
        "PYTHONDONTWRITEBYTECODE": "1",
    }
    return subprocess.run(
        [sys.executable, "-m", "sabir", *words],
        cwd=PLUGIN,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.rows("V-005", "V-011", "V-127", "V-128", "V-129", "V-188")
class TestInstalledPlugin:
    def test_its_validator_and_language_report_findings(self, site: Path) -> None:
        done = sabir(site, "check", SAMPLE, "--quiet")
        assert done.returncode == 1, done.stderr
        assert done.stdout.splitlines() == [
            "sample/my notes.txt: SHOP:W001 the name 'my notes.txt' has a space",
            "sample/shelf.yaml:2:8: SHELF:E001 shelf 'poems' is no list of books",
        ]

    def test_its_formatter_writes_the_report(self, site: Path) -> None:
        done = sabir(site, "check", SAMPLE, "--format", "count", "--quiet")
        assert done.stdout == "1 errors, 1 warnings\n", done.stderr

    def test_its_codes_are_listed_and_explained_beside_ours(self, site: Path) -> None:
        listed = json.loads(sabir(site, "check", "--list-codes", "--format", "json").stdout)
        codes = {code["code"] for code in listed["codes"]}
        assert {"SHOP:W001", "SHELF:E001", "E006"} <= codes
        explained = sabir(site, "check", "--explain", "SHOP:W001").stdout
        assert explained.startswith("SHOP:W001: file name with a space (warning)")

    def test_it_can_be_selected_and_scoped(self, site: Path) -> None:
        done = sabir(site, "check", SAMPLE, "--scope", "naming", "--strict", "--quiet")
        assert (done.returncode, done.stdout.count("\n")) == (1, 1)
        done = sabir(site, "check", SAMPLE, "--ignore", "SHOP,SHELF", "--strict", "--quiet")
        assert (done.returncode, done.stdout) == (0, "")

    def test_its_language_evaluates(self, site: Path) -> None:
        script = (
            "from sabir.operations.packages import find_language\n"
            "from sabir.languages.language import EvaluationRequest\n"
            "from sabir.source.packages import load_package\n"
            f"package = load_package({str(PLUGIN / SAMPLE)!r})\n"
            "graph = find_language(package).evaluate(package, EvaluationRequest()).graph\n"
            "print([(one.id, str(one.origin.location)) for one in graph])\n"
        )
        environment = {**os.environ, "PYTHONPATH": str(site), "XDG_CACHE_HOME": str(site / "cache")}
        done = subprocess.run(
            [sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False
        )
        assert done.stdout == (
            "[('novels/Emma', 'shelf.yaml:1:10'), ('novels/Dracula', 'shelf.yaml:1:16')]\n"
        ), done.stderr
