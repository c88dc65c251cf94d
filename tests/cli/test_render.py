"""`sabir render` on the shipped CCP example."""

from __future__ import annotations

from pathlib import Path

import pytest
import yaml

from sabir.cli.main import main

SHOP = str(Path(__file__).resolve().parents[2] / "examples" / "ccp" / "shop")


def _out(capfd: pytest.CaptureFixture[str], *words: str) -> str:
    assert main(["render", *words]) == 0
    return capfd.readouterr().out


@pytest.mark.rows("C-100")
def test_objects_on_stdout(capfd: pytest.CaptureFixture[str]) -> None:
    text = _out(capfd, SHOP, "--to", "kubernetes", "--namespace", "test", "--image", "postgres=local/pg:16")
    objects = {f"{one['kind']}/{one['metadata']['name']}": one for one in yaml.safe_load_all(text)}
    orders = objects["Deployment/orders"]
    assert orders["metadata"]["namespace"] == "test"
    assert orders["spec"]["template"]["spec"]["containers"][0]["image"] == "local/pg:16"
    assert "Namespace/test" in objects
    assert '"namespace": "test"' in objects["ConfigMap/globals"]["data"]["globals"]


def test_objects_in_a_folder(tmp_path: Path) -> None:
    assert main(["render", SHOP, "--to", "kubernetes", "-o", f"{tmp_path}/out/"]) == 0
    names = {path.name for path in (tmp_path / "out").iterdir()}
    assert {"deployment-shop.yaml", "job-shop-shop-schema.yaml", "kustomization.yaml"} <= names
    for path in (tmp_path / "out").iterdir():
        assert isinstance(yaml.safe_load(path.read_text()), dict)


def test_objects_in_a_file(tmp_path: Path) -> None:
    target = tmp_path / "all.yaml"
    assert main(["render", SHOP, "--to", "kubernetes", "-o", str(target)]) == 0
    assert len(list(yaml.safe_load_all(target.read_text()))) > 10


@pytest.mark.parametrize(
    ("to", "shown"),
    [
        ("start-order", "1. orders/postgres\n2. shop/shop-schema\n3. shop/web\n"),
        ("dependencies", "orders:\nshop: orders\n"),
    ],
)
def test_texts(to: str, shown: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert _out(capfd, SHOP, "--to", to) == shown


@pytest.mark.parametrize(("to", "begins"), [("mermaid", "flowchart"), ("dot", "digraph"), ("svg", "<svg")])
def test_pictures(to: str, begins: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert begins in _out(capfd, SHOP, "--to", to)[:200]


def test_configuration_hides_secrets(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    config = tmp_path / "config.yaml"
    config.write_text("secret_configs: {db: {password: hush}}\nregistry: {username: u, password: hush}\n")
    text = _out(capfd, SHOP, "--to", "configuration", "--config", str(config))
    assert "hush" not in text
    assert yaml.safe_load(text)["configs"]["orders"]["port"]["cont"] == 5432


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["--to", "kubernets"], 2, "did you mean 'kubernetes'?"),
        ([], 2, "say what to render with --to"),
        (["--to", "kubernetes", "--image", "x"], 2, "write it as NAME=VALUE"),
        (["--to", "kubernetes", "--namespace", "A B"], 2, "cannot be a namespace"),
        (["--to", "kubernetes", "--input", "shop.port.cont=0"], 1, "CCP:E016"),
    ],
)
def test_refusals(words: list[str], status: int, message: str, capfd: pytest.CaptureFixture[str]) -> None:
    assert main(["render", SHOP, *words]) == status
    output = capfd.readouterr()
    assert output.out == ""
    assert message in output.err.replace("\n", " ")
