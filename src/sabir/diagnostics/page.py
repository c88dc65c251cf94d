"""A code's documentation, for the terminal and as a page: one text, two forms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from sabir.diagnostics.excerpt import differing_parts
from sabir.diagnostics.rules import Example, Rule

__all__ = ["markdown_page", "page_name", "page_url", "plain_explanation"]

_SITE: Final = "https://sabir.readthedocs.io/en/latest/codes/"
_FENCES: Final = {
    "yaml": "yaml",
    "yml": "yaml",
    "py": "python",
    "cf": "inmanta",
    "toml": "toml",
    "txt": "ini",
}


def page_name(code: str) -> str:
    """The file of a code's page, without suffix: `MPL:E042` is `MPL-E042`."""
    return code.replace(":", "-")


def page_url(code: str) -> str:
    return f"{_SITE}{page_name(code)}/"


def plain_explanation(code: Rule) -> str:
    """The documentation of a code for a terminal."""
    import textwrap

    lines = [f"{code.code}: {code.title} ({code.severity.value})", "", *textwrap.wrap(code.why, 100)]
    lines += [f"{note}" for note in _notes(code)]
    bad, good = differing_parts(code.bad, code.good)
    for title, example in (("Wrong:", bad), ("Right:", good)):
        lines += ["", title, *_plain_example(example)]
    return "\n".join(lines) + "\n"


def markdown_page(code: Rule) -> str:
    """The documentation of a code as a page."""
    parts = [f"# {code.code}: {code.title}", "", f"*{code.severity.value.capitalize()}.* {code.why}"]
    for note in _notes(code):
        parts += ["", note]
    bad, good = differing_parts(code.bad, code.good)
    for title, example in (("Wrong", bad), ("Right", good)):
        parts += ["", f"## {title}"]
        for name, content in example.items():
            fence = _FENCES.get(name.rpartition(".")[2], "text")
            parts += ["", f"`{name}`:", "", f"```{fence}", _shown(content).rstrip("\n"), "```"]
    return "\n".join(parts) + "\n"


def _notes(code: Rule) -> Iterator[str]:
    if code.off_by_default:
        yield f"Off by default: switch it on with `--extend-select {code.code}`."
    if code.fixable:
        yield "`sabir check --fix` can mend it."
    if code.when == "evaluate":
        yield "Only an evaluation can tell: `sabir check` reports it where it evaluates, too."


def _plain_example(example: Example) -> Iterator[str]:
    for name, content in example.items():
        yield f"    # {name}"
        yield from (f"    {line}".rstrip() for line in _shown(content).splitlines())


def _shown(content: str) -> str:
    return content.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
