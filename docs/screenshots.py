"""Takes the screenshots of the documentation: `python -m docs.screenshots`, with Chromium installed."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Final

from sabir.cli.main import main as sabir
from sabir.graph.views.html import PageContent, html_view
from tests.browser.chromium import Chromium, find_chromium
from tests.graph.views.html.pages import services

ROOT: Final = Path(__file__).resolve().parent.parent
IMAGES: Final = ROOT / "docs" / "images"
SCREEN: Final = (1280, 800)
PHONE: Final = (390, 760)


def main() -> int:
    program = find_chromium()
    if program is None:
        sys.stderr.write("no Chromium here\n")
        return 2
    with tempfile.TemporaryDirectory() as folder, Chromium(program, Path(folder) / "profile") as browser:
        for count in (20, 500, 5000):
            page = Path(folder) / f"page-{count}.html"
            page.write_bytes(b"".join(html_view(services(count), PageContent(title=f"{count:,} instances"))))
            shoot(browser, page, f"page-{count}.png")
            shoot(browser, page, f"page-{count}-dark.png", dark=True)
            shoot(browser, page, f"page-{count}-phone.png", size=PHONE)
        shop = Path(folder) / "shop.html"
        sabir(["compile", str(ROOT / "examples/shop"), "--format", "html", "-o", str(shop), "--quiet"])
        shoot(browser, shop, "page.png", selected="database/mysql")
    return 0


def shoot(
    browser: Chromium,
    page: Path,
    name: str,
    *,
    size: tuple[int, int] = SCREEN,
    dark: bool = False,
    selected: str | None = None,
) -> None:
    browser.size(*size)
    browser.look(dark=dark)
    browser.open(page)
    if selected is not None:
        browser.run(f"sabir.then((page) => page.select({selected!r}))")
    browser.run("new Promise((done) => setTimeout(done, 400))")
    browser.screenshot(IMAGES / name)


if __name__ == "__main__":
    sys.exit(main())
