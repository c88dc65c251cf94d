"""Classes that extend themselves, and ancestries that no person wrote."""

from __future__ import annotations

import pytest

from sabir.diagnostics.rules import Example
from tests.languages.muranopl.check.test_codes import findings


def package(parents: dict[str, str]) -> Example:
    manifest = "Format: MuranoPL/1.4\nType: Library\nFullName: com.example\nClasses:\n"
    files = {"LICENSE": "x\n"}
    for name, extends in parents.items():
        manifest += f"  com.example.{name}: {name}.yaml\n"
        files[f"Classes/{name}.yaml"] = (
            f"Namespaces: {{=: com.example}}\nName: {name}\nExtends: {extends}\n"
            "Methods: {run: {Body: [{Return: $.nothing}]}}\n"
        )
    return {"manifest.yaml": manifest, **files}


CYCLES: dict[str, tuple[dict[str, str], list[str]]] = {
    "itself": ({"A": "A"}, ["A → A"]),
    "two": ({"A": "B", "B": "A"}, ["A → B → A"]),
    "three-from-the-first-file": ({"C": "A", "A": "B", "B": "C"}, ["A → B → C → A"]),
    "beside-a-tail": ({"A": "B", "B": "C", "C": "B", "D": "A"}, ["B → C → B"]),
    "two-apart": ({"A": "A", "B": "C", "C": "B"}, ["A → A", "B → C → B"]),
    "that-share-a-class": ({"A": "[B, C]", "B": "A", "C": "A"}, ["A → B → A"]),
    "a-diamond-is-none": ({"A": "[B, C]", "B": "D", "C": "D", "D": "[]"}, []),
}


@pytest.mark.parametrize("name", CYCLES)
def test_cycles(name: str) -> None:
    parents, ways = CYCLES[name]
    found = [one for one in findings(package(parents)) if one.code == "MPL:E117"]
    assert [one.message.replace("com.example.", "") for one in found] == [
        f"the class extends itself: {way}" for way in ways
    ]
    assert [one.filename for one in found] == [f"Classes/{way[0]}.yaml" for way in ways]


def test_a_ring_of_hundreds() -> None:
    names = [f"Ring{number:03}" for number in range(300)]
    parents = dict(zip(names, [*names[1:], names[0]], strict=True))
    found = findings(package(parents))
    assert [(one.code, one.filename) for one in found] == [("MPL:E117", "Classes/Ring000.yaml")]
    assert len(found[0].message) < 120


def test_a_chain_of_hundreds_says_nothing_of_members() -> None:
    names = [f"Link{number:03}" for number in range(300)]
    parents = {name: names[number - 1] if number else "[]" for number, name in enumerate(names)}
    found = findings(package(parents))
    assert [(finding.code, finding.filename) for finding in found] == [("MPL:E117", "Classes/Link200.yaml")]
