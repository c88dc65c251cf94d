"""No link leads nowhere, no page is lost, no command is without a page."""

from pathlib import Path

import pytest

from sabir.cli.main import COMMANDS
from tests.docs.pages import DOCS, ROOT, anchors, links, nav_pages, pages


@pytest.mark.parametrize("page", pages(), ids=lambda page: str(page.relative_to(ROOT)))
def test_links_resolve(page: Path) -> None:
    broken = []
    for link in links(page):
        if "://" in link or link.startswith("mailto:"):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path).resolve() if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            broken.append(link)
    assert not broken


def test_links_of_the_site_stay_in_the_site() -> None:
    outside = [
        (str(page.relative_to(ROOT)), link)
        for page in DOCS.rglob("*.md")
        for link in links(page)
        if "://" not in link and not (page.parent / link.partition("#")[0]).resolve().is_relative_to(DOCS)
    ]
    assert not outside


def test_every_page_is_in_the_nav_once() -> None:
    named = nav_pages()
    assert len(set(named)) == len(named)
    there = {page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")}
    assert not set(named) - there, "mkdocs.yml names pages that are not there"
    assert not there - set(named), "add these pages to the nav of mkdocs.yml"


@pytest.mark.parametrize("command", COMMANDS)
def test_every_command_has_a_page(command: str) -> None:
    page = DOCS / "commands" / f"{command}.md"
    assert page.exists(), f"write docs/commands/{command}.md and name it in mkdocs.yml"
    assert page.read_text(encoding="utf-8").startswith(f"# sabir {command}\n")
