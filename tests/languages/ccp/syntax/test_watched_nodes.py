"""Which values of a definition count as read."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from sabir.languages.ccp.syntax.nodes import Definition
from sabir.languages.ccp.syntax.recording.nodes import WatchedNodes, unwrap_node
from sabir.provenance import ReadTracker
from tests.languages.ccp.building import deployment, service

CASES: dict[str, tuple[Callable[[Definition], object], list[str]]] = {
    "a value": (lambda watched: watched.service.host_network, ["host_network"]),
    "a list of parts": (lambda watched: watched.service.containers, ["containers"]),
    "a value of a part": (lambda watched: watched.service.containers[0].image, ["containers", "image"]),
    "a property": (
        lambda watched: watched.service.containers[0].single_commands,
        ["containers", "pre", "post", "single", "single"],
    ),
    "files": (lambda watched: watched.files["conf"].destination, ["files", "destination"]),
    "where it stands": (
        lambda watched: (watched.service.place, watched.service.name_place, watched.file),
        [],
    ),
}


@pytest.mark.parametrize(("read", "fields"), CASES.values(), ids=[*CASES])
def test_reads_are_noted(read: Callable[[Definition], object], fields: list[str]) -> None:
    text = service(
        "web",
        container="pre: [{command: prepare}]",
        tail="files: {conf: {path: /etc/web.conf, content: web.j2}}",
    )
    (definition,) = deployment({"web": text, "service/files/web.j2": ""}).definitions
    computing = ReadTracker()
    watched = WatchedNodes(computing).of(definition)
    read(watched)
    assert [cell[1] for cell in computing.reads if isinstance(cell, tuple)] == fields
    assert unwrap_node(watched) is definition
    assert unwrap_node(definition) is definition
