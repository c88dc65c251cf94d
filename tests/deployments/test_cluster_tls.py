"""Workers over TLS: a CA of its own, real certificates, and strangers that are turned away."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.deployments.site import Site, certificates, running_site

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(shutil.which("openssl") is None, reason="openssl is not installed"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    pytest.importorskip("distributed")
    folder = tmp_path_factory.mktemp("tls")
    with running_site(folder, certificates(folder, "ours")) as running:
        yield running


@pytest.fixture
def described(tmp_path: Path) -> Path:
    (tmp_path / "world").mkdir()
    (tmp_path / "sabir.yaml").write_text(
        f"name: far\ntargets: {{far: {{driver: local, root: {tmp_path}/world, labels: [vault]}}}}\nparts:\n  all:\n"
        "    language: resources\n    model:\n      resources:\n"
        "        a: {kind: file, target: far, fields: {path: a, content: {sensitive: canary}}}\n"
    )
    return tmp_path


def ended(
    site: Site, *words: str, folder: Path, environment: dict[str, str] | None = None
) -> tuple[int, str]:
    process = site.sabir(*words, folder=folder, environment=environment)
    output = process.communicate(timeout=120)[0]
    return process.returncode, output


def test_a_deployment_over_tls(site: Site, described: Path) -> None:
    executor = ["--executor", site.url]
    status, output = ended(site, "deploy", ".", "--yes", *executor, folder=described)
    assert status == 0, output
    assert (described / "world/a").read_text() == "canary"
    assert ended(site, "plan", ".", "--refresh", *executor, folder=described)[0] == 0
    status, output = ended(
        site, "destroy", ".", "--yes", "--allow-delete", "all", *executor, folder=described
    )
    assert status == 0, output
    logs = "".join(file.read_text() for file in site.folder.glob("*.log"))
    assert "canary" not in logs


def test_strangers_are_turned_away(site: Site, described: Path, tmp_path: Path) -> None:
    """One with a certificate of another CA, one with none, and one who talks in clear."""
    stranger = {**os.environ, **certificates(tmp_path, "theirs")}
    lost = {**site.environment, "DASK_DISTRIBUTED__COMM__TLS__CLIENT__CERT": str(tmp_path / "nowhere")}
    plain = site.url.replace("dask+tls", "dask")
    cases = [
        (site.url, stranger, f"the scheduler {site.url} cannot be used"),
        (site.url, lost, f"the scheduler {site.url} cannot be used: No such file"),
        (site.url, dict(os.environ), "needs certificates in dask's settings"),
        (plain, dict(os.environ), f"the scheduler {plain} cannot be used"),
    ]
    for url, environment, words in cases:
        status, output = ended(
            site, "deploy", ".", "--yes", "--executor", url, folder=described, environment=environment
        )
        assert status != 0, output
        assert words in output
        assert "fault of sabir" not in output
    assert not (described / "world/a").exists()


def test_a_check_over_tls(site: Site, described: Path) -> None:
    status, output = ended(site, "check", ".", "--executor", site.url, folder=described)
    assert status == 0, output
    assert "nothing found in 1 package" in output
