"""The page under the rules of axe-core: WCAG 2.2, level AA, and best practices, in light, in dark and on a phone."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sabir.graph import Graph
from sabir.graph.views.html import PageContent, html_view
from tests.browser.chromium import Chromium, find_chromium
from tests.graph.views.html.pages import services, shop

pytestmark = pytest.mark.slow

AXE = Path(__file__).parent / "node_modules/axe-core/axe.min.js"
PROGRAM = find_chromium()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if PROGRAM is None:
        pytest.skip("no Chromium here, so the accessibility of the page is not tested")
    if not AXE.exists():
        pytest.skip("axe-core is not here: npm install --prefix tests/browser")
    with Chromium(PROGRAM, tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.mark.parametrize("size", [(1400, 900), (390, 844)], ids=["screen", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize(
    ("graph", "selected"),
    [(shop(), None), (shop(), "shop"), (services(500), None)],
    ids=["overview", "instance", "folded"],
)
def test_no_findings(
    browser: Chromium, tmp_path: Path, graph: Graph, selected: str | None, dark: bool, size: tuple[int, int]
) -> None:
    file = tmp_path / "page.html"
    file.write_bytes(b"".join(html_view(graph, PageContent(title="the shop"))))
    browser.size(*size)
    browser.look(dark=dark)
    browser.open(file)
    browser.run("document.querySelector('#outline-toggle').click()")
    if selected is not None:
        browser.run(f"sabir.then((s) => s.select({json.dumps(selected)}))")
    browser.run(AXE.read_text(encoding="utf-8") + "; null")
    findings = browser.run(
        "axe.run(document).then(({violations}) => violations.map(({id, help, nodes}) =>"
        " `${id}: ${help}: ${nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; ')}`))"
    )
    assert findings == []
