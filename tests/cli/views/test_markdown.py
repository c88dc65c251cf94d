"""Comments for reviews: whatever a package is called, it stays text."""

import pytest

from sabir.cli.views.diff import code_span, markdown_view
from sabir.cli.views.impact import markdown_view as review_view
from sabir.graph import Graph, Instance, Record
from sabir.graph.diff import compare_graphs
from sabir.operations.diff import DiffResult
from sabir.operations.review import Review, ReviewedPackage


def difference(before: str, after: str) -> DiffResult:
    graphs = [
        Graph([Instance(id="a", type="T", language="toy", name="a", attributes=Record.of({"x": value}))])
        for value in (before, after)
    ]
    return DiffResult(before=graphs[0], after=graphs[1], diff=compare_graphs(*graphs))


@pytest.mark.parametrize(
    ("text", "shown"),
    [("a", "`a`"), ("a`b", "`` a`b ``"), ("``", "``` `` ```"), ("a\nb", "`a b`"), ("<b>", "`<b>`")],
)
def test_code(text: str, shown: str) -> None:
    assert code_span(text) == shown


def test_nothing_changed() -> None:
    assert "".join(markdown_view(difference("x", "x"))) == "The change has no effect on what is described.\n"


def test_a_change() -> None:
    assert '    - `x`: `"1"` → `"2"`\n' in "".join(markdown_view(difference("1", "2")))


def test_the_path_of_a_package_breaks_neither_table_nor_markup() -> None:
    package = ReviewedPackage(path="a|<b>", difference=difference("1", "2"))
    failed = ReviewedPackage(path="c", difference=difference("1", "1"), failure="it has errors")
    text = "".join(review_view(Review(since="main", packages=(package, failed))))
    assert "| `a\\|<b>` | 0 | 0 | 1 |\n" in text
    assert "<summary><code>a|&lt;b&gt;</code></summary>" in text
    assert "- `c` could not be compared: it has errors\n" in text
