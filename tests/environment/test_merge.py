"""Parts of an environment: what a step of a part is told of what was observed."""

from __future__ import annotations

from collections.abc import Mapping

from sabir.environment.merge import PartPlaces, move_part
from sabir.graph.address import Address
from sabir.graph.graph import Graph
from sabir.graph.values import Value
from sabir.languages.language import Evaluation
from sabir.resources.resource import DesiredResources, Resource


def test_a_step_sees_what_was_observed_in_its_part_by_its_own_names() -> None:
    seen: list[Mapping[str, Value]] = []

    def late(observed: Mapping[str, Value]) -> Mapping[str, Value]:
        seen.append(observed)
        return {"url": observed["web|url"]}

    resource = Resource(address=Address("web"), kind="command", desired={}, late=late)
    evaluation = Evaluation(graph=Graph(()), wanted=lambda: DesiredResources(resources=(resource,)))
    (moved,) = move_part("front", evaluation, PartPlaces("front/"), {}).wanted().resources
    assert moved.late is not None
    assert moved.late({"front/web|url": "u", "back/web|url": "other"}) == {"url": "u"}
    assert dict(seen[0]) == {"web|url": "u"}
    assert len(seen[0]) == 1
    assert "web|port" not in seen[0]
