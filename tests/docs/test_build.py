from pathlib import Path

from docs.build import codes_index, write_pages
from sabir.diagnostics.page import page_name
from sabir.operations.check import list_codes
from tests.docs.pages import links


def test_every_code_has_a_page_that_the_index_names(tmp_path: Path) -> None:
    codes = list_codes()
    write_pages(codes, tmp_path)
    assert {*links(tmp_path / "index.md")} == {f"{page_name(code.code)}.md" for code in codes}
    for code in codes:
        assert (
            (tmp_path / f"{page_name(code.code)}.md")
            .read_text(encoding="utf-8")
            .startswith(f"# {code.code}: ")
        )


def test_an_index_without_codes_is_still_a_page() -> None:
    assert codes_index([]).startswith("# Codes\n")
