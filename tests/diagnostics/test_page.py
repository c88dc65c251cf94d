"""What `--explain` and the page of a code show of its two examples."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from sabir.diagnostics.page import trim_examples

LONG = "".join(f"key{number}:\n  inner: {number}\n" for number in range(20))


def test_only_files_that_differ() -> None:
    bad, good = trim_examples(
        {"a.yaml": "x: 1\n", "b.yaml": "y: 1\n"}, {"a.yaml": "x: 2\n", "b.yaml": "y: 1\n"}
    )
    assert (bad, good) == ({"a.yaml": "x: 1\n"}, {"a.yaml": "x: 2\n"})


def test_of_long_files_only_the_changed_lines_and_the_keys_above() -> None:
    bad, good = trim_examples(
        {"a.yaml": LONG.replace("inner: 7\n", "other: 1\n  inner: seven\n")}, {"a.yaml": LONG}
    )
    assert bad == {"a.yaml": "…\nkey7:\n  other: 1\n  inner: seven\nkey8:\n…\n"}
    assert good == {"a.yaml": "…\nkey7:\n  inner: 7\nkey8:\n…\n"}


def test_a_file_that_is_missing() -> None:
    bad, good = trim_examples({"a.yaml": LONG}, {"a.yaml": LONG, "LICENSE": "x\n"})
    assert (bad, good) == ({"a.yaml": "…\n"}, {"LICENSE": "x\n"})


def test_hostile_examples_are_bounded() -> None:
    bad, _ = trim_examples({"a.yaml": "[" * 5000 + "\n" * 5000}, {"a.yaml": "x\n"})
    assert max(map(len, bad["a.yaml"].splitlines())) <= 120
    assert len(bad["a.yaml"].splitlines()) <= 40


def test_equal_examples_are_shown() -> None:
    assert trim_examples({"a": "x\n"}, {"a": "x\n"}) == ({"a": "x\n"}, {"a": "x\n"})


@given(st.lists(st.sampled_from(["a:", "  b: 1", "", "c: 2"]), max_size=30), st.integers(0, 30))
def test_every_changed_line_is_shown(lines: list[str], at: int) -> None:
    new = [*lines[:at], "changed: here", *lines[at:]]
    _, good = trim_examples({"f": "\n".join(lines)}, {"f": "\n".join(new)})
    assert "changed: here" in good["f"]
