"""What an entity has of several parents."""

from __future__ import annotations

import pytest

from tests.languages.inmanta.models import evaluate

HEAD = "entity X:\nend\nentity P:\n{p}end\nentity Q:\n{q}end\n{relations}entity C extends P, Q:\nend\nimplement C using std::none\nimplement X using std::none\n"


@pytest.mark.parametrize(
    ("p", "q", "relations", "call", "codes"),
    [
        ("    string a\n", "    string a\n", "", 'C(a="x")', []),
        ("    string a\n", "    int a\n", "", 'C(a="x")', ["INM:E004"]),
        ("", "", "P.r [0:1] -- X\nQ.r [1] -- X\n", "C()", []),
        ("", "", "P.r [1] -- X\nQ.r [0:1] -- X\n", "C()", ["INM:E012"]),
        ("    string r\n", "", "Q.r [0:1] -- X\n", 'C(r="a")', []),
    ],
)
def test_the_first_parent_counts(p: str, q: str, relations: str, call: str, codes: list[str]) -> None:
    model = evaluate(HEAD.format(p=p, q=q, relations=relations) + call + "\n")
    assert [finding.code for finding in model.findings] == codes
