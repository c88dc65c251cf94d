"""The trial of published packages, on the packages that the project has."""

from __future__ import annotations

from pathlib import Path

from tests.corpora.murano_packages import judge, packages_below, table

EXAMPLES = Path("examples/murano")


def test_an_application_is_deployed_in_simulation(tmp_path: Path) -> None:
    shop = judge(EXAMPLES / "shop/package", ())
    assert (shop.end, shop.plans) == ("", 1)
    assert shop.resources["OS::Nova::Server"] == 1
    assert shop.pushed is not None
    (tmp_path / "manifest.yaml").write_text("Format: 1.4\nType: Application\nFullName: empty\nName: x\n")
    empty = judge(tmp_path, ())
    assert empty.end == "empty has no classes in its manifest, and so nothing to make a model of"
    lines = [*table([shop, empty])]
    assert lines[2].startswith("| `org.example.shop.") or lines[3].startswith("| `org.example.shop.")
    assert lines[-1] == "\n1 of 2 reached their end."


def test_packages_are_found_once() -> None:
    folders = [*packages_below([EXAMPLES, EXAMPLES])]
    assert len(folders) == len({*folders}) > 1
