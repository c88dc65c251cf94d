"""The Markdown pages of the project, and what is in them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, Final

import yaml

__all__ = ["DOCS", "ROOT", "anchors", "blocks", "links", "nav_pages", "pages"]

ROOT: Final = Path(__file__).resolve().parents[2]
DOCS: Final = ROOT / "docs"

_FENCE: Final = re.compile(r"^(```|~~~).*?^\1\s*$", re.MULTILINE | re.DOTALL)
_CODE: Final = re.compile(r"`[^`\n]*`")
_LINK: Final = re.compile(r"!?\[[^\]\n]*\]\(([^)\s]+)(?:\s+\"[^\"]*\")?\)")
_HEADING: Final = re.compile(r"^#{1,6}\s+(.+?)\s*#*$", re.MULTILINE)
_ID: Final = re.compile(r"(?:id|name)=\"([^\"]+)\"")


def blocks(text: str, language: str) -> list[str]:
    """The code blocks of a page that are written in a language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, re.MULTILINE | re.DOTALL)


def pages() -> list[Path]:
    """README and the like at the top, and everything under docs."""
    return [
        *sorted(ROOT.glob("*.md")),
        *sorted(DOCS.rglob("*.md")),
        *sorted((ROOT / "changelog.d").glob("README.md")),
    ]


def links(page: Path) -> Iterator[str]:
    """The targets of all links and pictures that are not in code."""
    prose = _CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    return (match[1] for match in _LINK.finditer(prose))


@cache
def anchors(page: Path) -> frozenset[str]:
    """The ids that the site gives to headings, and those written as HTML."""
    text = page.read_text(encoding="utf-8")
    found = set(_ID.findall(text))
    for match in _HEADING.finditer(_FENCE.sub("", text)):
        slug = re.sub(r"[^\w\s-]", "", re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", match[1])).strip().lower()
        found.add(re.sub(r"[-\s]+", "-", slug))
    return frozenset(found)


def nav_pages() -> list[str]:
    """Every page that mkdocs.yml names, in its order."""
    data: Any = yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))
    return [*_leaves(data["nav"])]


def _leaves(item: Any) -> Iterator[str]:
    if isinstance(item, str):
        yield item
    else:
        for one in item.values() if isinstance(item, dict) else item:
            yield from _leaves(one)
