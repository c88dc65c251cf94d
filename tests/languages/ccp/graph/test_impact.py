"""The law of `impact`: of a line it lists the objects that change when the line is edited, and no others."""

from __future__ import annotations

import os
from functools import cache
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sabir.operations.impact import impact_of
from tests.languages.ccp.graph.test_law import LAW, PACKAGES, graph_of
from tests.provenance.law import Files, Line, Mutant, Value

SHOP = Path(__file__).parents[4] / "examples" / "ccp" / "shop"
CORPUS = Path(os.environ.get("SABIR_TEST_CORPORA", "")) / "fuel-ccp"
COMPONENTS = ("etcd", "mariadb", "memcached", "nginx", "zmq")
"""Those that need no others."""


def _files(folder: Path) -> Files:
    return {
        path.relative_to(folder).as_posix(): path.read_text(encoding="utf-8")
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


class _Package:
    """A description with what follows from it, worked out once, and all edits of its lines."""

    def __init__(self, files: Files) -> None:
        self.graph = graph_of(files)
        self.values = LAW.values(self.graph)
        self.edits: dict[Line, list[Mutant]] = {}
        for mutant in LAW.mutants(files):
            self.edits.setdefault(mutant.line, []).append(mutant)

    def parts_listed(self, line: Line) -> set[Value]:
        """The parts of objects that `impact` names."""
        if line[0] not in self.graph.dependence.files:
            return set()
        affected = impact_of(self.graph, *line).affected
        listed = {(entry.instance, entry.attribute) for entry in affected if entry.attribute is not None}
        return self.parts_of_objects({value for value in self.values if value in listed})

    def parts_of_objects(self, values: set[Value]) -> set[Value]:
        return {value for value in values if not self.graph[str(value[0])].type.startswith("ccp::")}

    def check(self, line: Line) -> int:
        """How many parts of objects the edits of a line change."""
        changed, gone = set[Value](), set[Value]()
        for _, values, missing in LAW.changed(self.values, self.edits[line]):
            changed |= self.parts_of_objects(set(values))
            gone |= self.parts_of_objects(missing)
        listed = self.parts_listed(line)
        assert changed - listed == set(), line
        # A list counts as read as a whole; of volumes the Namespace asks only whether one is of the host.
        idle = {value for value in listed - changed - gone if not str(value[0]).startswith("Namespace/")}
        assert idle == set(), line
        return len(changed)


@pytest.mark.parametrize("files", [*PACKAGES.values(), _files(SHOP)], ids=[*PACKAGES, "shop"])
def test_impact_lists_what_an_edit_of_the_line_changes(files: Files) -> None:
    package = _Package(files)
    assert sum(map(package.check, package.edits)) > len(package.edits)


@cache
def _component(name: str) -> _Package:
    return _Package(_files(CORPUS / f"fuel-ccp-{name}"))


@pytest.mark.slow
@pytest.mark.skipif(not CORPUS.is_dir(), reason="SABIR_TEST_CORPORA names no folder with fuel-ccp")
@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_impact_of_lines_of_public_definitions(data: st.DataObject) -> None:
    package = _component(data.draw(st.sampled_from(COMPONENTS)))
    package.check(data.draw(st.sampled_from([*package.edits])))
