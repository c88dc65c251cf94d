"""Build the site: the pages under docs, and a page for every code made from its documentation. `make docs` runs this."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import yaml

from sabir.diagnostics.page import markdown_page, page_name
from sabir.diagnostics.rules import Rule
from sabir.operations.check import list_codes
from sabir.operations.compile import CompileRequest, GraphView, compile_path

__all__ = ["codes_index", "main", "write_pages"]

ROOT: Final = Path(__file__).resolve().parents[1]
BUILD: Final = ROOT / "build" / "docs"
LIVE: Final = "<!-- live page -->"
"""Where a page says that there is one to be tried out: on the site there is."""


def main(words: Sequence[str] = ()) -> int:
    """Build into `site/`, or into the folder that is named."""
    site = Path(words[0]) if words else ROOT / "site"
    work = Path(words[0]).with_name("work") if words else BUILD
    shutil.rmtree(work, ignore_errors=True)
    shutil.copytree(ROOT / "docs", work / "docs", ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    codes = list_codes()
    write_pages(codes, work / "docs" / "codes")
    _write_live_page(work)
    _write_schemas(work / "docs" / "schemas")
    configuration = work / "mkdocs.yml"
    configuration.write_text(yaml.safe_dump(_configuration(codes), sort_keys=False), encoding="utf-8")
    # Strict: a page that links to nowhere must not be published.
    done = subprocess.run(
        [sys.executable, "-m", "zensical", "build", "--clean", "--strict", "-f", str(configuration)],
        check=False,
    )
    if done.returncode:
        return done.returncode
    shutil.rmtree(site, ignore_errors=True)
    shutil.move(work / "site", site)
    sys.stdout.write(f"the site is in {site.name}/: {sum(1 for _ in site.rglob('*.html'))} pages\n")
    return 0


def _write_live_page(work: Path) -> None:
    """The page that `compile --format html` makes of the example, to be tried out on the site."""
    view = GraphView(format="html")
    compiled = compile_path(CompileRequest(path=ROOT / "examples" / "shop", view=view))
    live = work / "docs" / "live" / "shop.html"
    live.parent.mkdir()
    live.write_bytes(b"".join(compiled.pieces()))
    page = work / "docs" / "commands" / "compile.md"
    text = page.read_text(encoding="utf-8").replace(
        LIVE, "[Open this page](../live/shop.html) and try it out."
    )
    page.write_text(text, encoding="utf-8")


def _write_schemas(folder: Path) -> None:
    """The schemas that editors fetch, under the addresses that they name as theirs."""
    for schema in (ROOT / "src" / "sabir").rglob("*.schema.json"):
        shutil.copy(schema, folder / schema.name)


def write_pages(codes: list[Rule], folder: Path) -> None:
    """One page a code, and an index of them."""
    folder.mkdir(parents=True, exist_ok=True)
    for code in codes:
        (folder / f"{page_name(code.code)}.md").write_text(markdown_page(code), encoding="utf-8")
    (folder / "index.md").write_text(codes_index(codes), encoding="utf-8")


def codes_index(codes: list[Rule]) -> str:
    rows = [
        f"| [{code.code}]({page_name(code.code)}.md) | {code.severity.value} | {code.title} |"
        for code in codes
    ]
    lead = "# Codes\n\nEverything that sabir can report. `sabir check --explain CODE` shows the same in a terminal.\n"
    return "\n".join([lead, "| code | severity | what |", "|---|---|---|", *rows, ""])


def _configuration(codes: list[Rule]) -> dict[str, Any]:
    configuration: dict[str, Any] = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    families: dict[str, list[dict[str, str]]] = {}
    for code in codes:
        family = code.code.rpartition(":")[0] or "Packages"
        families.setdefault(family, []).append({code.code: f"codes/{page_name(code.code)}.md"})
    groups = [{family: pages} for family, pages in families.items()]
    configuration["nav"].append({"Codes": [{"Overview": "codes/index.md"}, *groups]})
    return configuration


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
