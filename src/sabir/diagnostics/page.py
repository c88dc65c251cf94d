"""The documentation of a rule, for the terminal and as a web page.

Examples are shortened to what a reader needs: the files that differ, and in long files the lines that differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from sabir.diagnostics.rules import Example, Rule

_SHORT: Final = 12
"""A file of so many lines is shown whole."""
_CONTEXT: Final = 1
_GAP: Final = "…"
_LONGEST_LINE: Final = 120
_MOST_LINES: Final = 40


def trim_examples(bad: Example, good: Example) -> tuple[Example, Example]:
    """Both examples, cut down to what tells them apart; examples that do not differ are given as they are."""
    names = [name for name in dict.fromkeys((*bad, *good)) if bad.get(name) != good.get(name)]
    if not names:
        return _truncate_example(bad), _truncate_example(good)
    left: dict[str, str] = {}
    right: dict[str, str] = {}
    for name in names:
        if name in bad and name in good:
            left[name], right[name] = _extract_changes(bad[name], good[name])
        else:
            target, content = (left, bad[name]) if name in bad else (right, good[name])
            target[name] = _truncate_lines(content.splitlines())
    # A side whose only difference is that a file is not there is shown by the files that are.
    return left or _example_overview(bad), right or _example_overview(good)


def _truncate_example(example: Example) -> Example:
    return {name: _truncate_lines(content.splitlines()) for name, content in example.items()}


def _example_overview(example: Example) -> Example:
    """Short files whole, of long ones the name."""
    return {
        name: content if content.count("\n") <= _SHORT else f"{_GAP}\n" for name, content in example.items()
    }


def _extract_changes(bad: str, good: str) -> tuple[str, str]:
    from difflib import SequenceMatcher

    old, new = bad.splitlines(), good.splitlines()
    if max(len(old), len(new)) <= _SHORT:
        return _truncate_lines(old), _truncate_lines(new)
    if max(len(old), len(new)) > 2000:  # comparing them would take longer than anybody wants to wait
        return _truncate_lines(old), _truncate_lines(new)
    wanted: tuple[set[int], set[int]] = (set(), set())
    for tag, start, end, new_start, new_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if tag != "equal":
            wanted[0].update(_context_lines(old, start, end))
            wanted[1].update(_context_lines(new, new_start, new_end))
    return _format_excerpt(old, wanted[0]), _format_excerpt(new, wanted[1])


def _context_lines(lines: Sequence[str], start: int, end: int) -> Iterable[int]:
    """The lines of a change, those beside it, and the keys above under which it stands."""
    first, last = max(0, start - _CONTEXT), min(len(lines), end + _CONTEXT)
    yield from range(first, last)
    depth = min((_indent_width(lines[at]) for at in range(first, last) if lines[at].strip()), default=0)
    for at in range(first - 1, -1, -1):
        if depth == 0:
            return
        if lines[at].strip() and _indent_width(lines[at]) < depth:
            depth = _indent_width(lines[at])
            yield at


def _indent_width(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _format_excerpt(lines: Sequence[str], wanted: set[int]) -> str:
    shown: list[str] = []
    before = -1
    for at in sorted(wanted):
        if at != before + 1:
            shown.append(" " * _indent_width(lines[at]) + _GAP)
        shown.append(lines[at])
        before = at
    if before != len(lines) - 1:
        shown.append(_GAP)
    return _truncate_lines(shown)


def _truncate_lines(lines: Sequence[str]) -> str:
    """The lines as a text, none too long and not too many: examples of hostile input are both."""
    shown = [line if len(line) <= _LONGEST_LINE else line[: _LONGEST_LINE - 1] + _GAP for line in lines]
    if len(shown) > _MOST_LINES:
        shown = [*shown[: _MOST_LINES - 1], _GAP]
    return "".join(f"{line}\n" for line in shown)


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
    """Return the address of a rule's documentation page."""
    return f"{_SITE}{page_name(code)}/"


def plain_explanation(code: Rule) -> str:
    """The documentation of a code for a terminal."""
    import textwrap

    lines = [f"{code.code}: {code.title} ({code.severity.value})", "", *textwrap.wrap(code.why, 100)]
    lines += [f"{note}" for note in _rule_notes(code)]
    bad, good = trim_examples(code.bad, code.good)
    for title, example in (("Wrong:", bad), ("Right:", good)):
        lines += ["", title, *_plain_example(example)]
    return "\n".join(lines) + "\n"


def markdown_page(code: Rule) -> str:
    """The documentation of a code as a page."""
    parts = [f"# {code.code}: {code.title}", "", f"*{code.severity.value.capitalize()}.* {code.why}"]
    for note in _rule_notes(code):
        parts += ["", note]
    bad, good = trim_examples(code.bad, code.good)
    for title, example in (("Wrong", bad), ("Right", good)):
        parts += ["", f"## {title}"]
        for name, content in example.items():
            fence = _FENCES.get(name.rpartition(".")[2], "text")
            parts += ["", f"`{name}`:", "", f"```{fence}", _escape_bytes(content).rstrip("\n"), "```"]
    return "\n".join(parts) + "\n"


def _rule_notes(code: Rule) -> Iterator[str]:
    if code.off_by_default:
        yield f"Off by default: switch it on with `--extend-select {code.code}`."
    if code.fixable:
        yield "`sabir check --fix` can mend it."
    if code.when == "evaluate":
        yield "Only an evaluation can tell: `sabir check` reports it where it evaluates, too."


def _plain_example(example: Example) -> Iterator[str]:
    for name, content in example.items():
        yield f"    # {name}"
        yield from (f"    {line}".rstrip() for line in _escape_bytes(content).splitlines())


def _escape_bytes(content: str) -> str:
    return content.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
