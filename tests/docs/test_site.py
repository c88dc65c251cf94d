"""The built site, read page by page: what a reader would see."""

from __future__ import annotations

import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from tests.docs.pages import ROOT, nav_pages

pytestmark = pytest.mark.slow


class Reader(HTMLParser):
    """The prose of a page without its code, its headings, and the titles of its code blocks."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.prose: list[str] = []
        self.headings = 0
        self.titles: list[str] = []
        self.coloured: set[str] = set()
        self._inside: list[str] = []
        self._in_title = False
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        classes = (dict(attrs).get("class") or "").split()
        if tag in ("pre", "code", "script", "style"):
            self._inside.append(tag)
        self.headings += tag == "h1"
        self._in_title = "filename" in classes
        self.coloured |= {name for name in classes if name.startswith("language-")}

    def handle_endtag(self, tag: str) -> None:
        if self._inside and self._inside[-1] == tag:
            self._inside.pop()
        self._in_title = False

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.titles.append(data)
        elif not self._inside:
            self.prose.append(data)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("docs") / "site"
    done = subprocess.run(
        [sys.executable, "-m", "docs.build", str(folder)],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def built(site: Path, page: str) -> Path:
    name = page.removesuffix(".md")
    folder = "" if name == "index" else name.removesuffix("/index")
    return site / folder / "index.html"


def test_every_page_is_whole(site: Path) -> None:
    for page in nav_pages():
        reader = Reader(built(site, page).read_text(encoding="utf-8"))
        prose = "".join(reader.prose)
        assert reader.headings == 1, page
        assert "```" not in prose, f"{page}: a fence that was not read as one"
        assert not re.search(r"\b(title|file)=[\"“\w]", prose), (
            f"{page}: the head of a fence stands in the text"
        )
        assert "{{" not in prose or page.startswith(("requirements", "ccp", "reference", "codes")), page


@pytest.mark.parametrize(
    ("page", "titles"),
    [
        (
            "muranopl/tutorial.md",
            ["shop/manifest.yaml", "shop/Classes/Shop.yaml", "shop.yaml", "bad.yaml", "low.yaml"],
        ),
        ("inmanta/tutorial.md", ["main.cf"]),
        ("tutorials/tosca.md", ["shop.yaml", "slip.yaml"]),
        (
            "tutorials/environment.md",
            ["shop/network/main.cf", "shop/database/service.yaml", "shop/sabir.yaml"],
        ),
    ],
)
def test_the_files_of_tutorials_have_their_names(site: Path, page: str, titles: list[str]) -> None:
    assert Reader(built(site, page).read_text(encoding="utf-8")).titles == titles


def test_schemas_and_the_live_page_are_published(site: Path) -> None:
    assert (site / "schemas/environment-1.schema.json").is_file()
    assert (site / "schemas/ccp-service-1.schema.json").is_file()
    assert (site / "live/shop.html").is_file()
    assert (site / "sbom.json").is_file()


def test_models_are_coloured(site: Path) -> None:
    text = built(site, "inmanta/tutorial.md").read_text(encoding="utf-8")
    assert re.search(r'<span class="k[dn]?">entity</span>', text)
