"""The graph: names, ids, relations, origins, the long answer, and exported resources."""

from __future__ import annotations

import json

from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.languages.inmanta import LANGUAGE
from sabir.languages.language import EvaluationRequest, RenderRequest
from sabir.source.packages import MemoryPackage
from sabir.text import Location

MODEL = """entity Host:
    string name
    int cpus = 2
    string? note
end
entity File:
    string path
    string text
end
index Host(name)
index File(host, path)
Host.files [0:] -- File.host [1]
implementation motd for Host:
    greeting = "hello {{name}}"
    File(host=self, path="/etc/motd", text=greeting)
end
implement Host using motd
implement File using std::none
domain = "example.org"
h = Host(name="web.{{domain}}", cpus=4)
h.note = "first"
"""


def graph_of(text: str, *, full: bool = False) -> Graph:
    evaluation = LANGUAGE.evaluate(MemoryPackage({"main.cf": text}), EvaluationRequest(full_provenance=full))
    assert not evaluation.findings
    return evaluation.graph


def test_names_and_relations() -> None:
    graph = graph_of(MODEL)
    host = graph["Host/web.example.org"]
    file = graph["File/web.example.org,/etc/motd"]
    assert (host.name, file.name) == ("web.example.org", "web.example.org,/etc/motd")
    assert dict(host.attributes) == {"name": "web.example.org", "cpus": 4, "note": "first"}
    assert host.relations["files"] == (file.id,)
    assert file.relations["host"] == (host.id,)
    assert graph.outputs["domain"] == "example.org"


def test_instances_without_an_index_are_numbered() -> None:
    graph = graph_of("entity A:\nend\nimplement A using std::none\nA()\nA()\n")
    assert [one.name for one in graph if one.type == "A"] == ["A#1", "A#2"]


def test_origins() -> None:
    graph = graph_of(MODEL)
    host, file = graph["Host/web.example.org"], graph["File/web.example.org,/etc/motd"]
    assert host.origin is not None
    assert (host.origin.how, host.origin.location.line) == (How.CONSTRUCTOR, 20)
    found = {name: (origin.how, origin.location.line) for name, origin in host.origins.items()}
    assert found == {
        "name": (How.CONSTRUCTOR, 20),
        "cpus": (How.CONSTRUCTOR, 20),
        "note": (How.ASSIGNMENT, 21),
        "files": (How.RELATION, 15),
    }
    assert file.origin is not None
    assert (file.origin.how, file.origin.note) == (How.REFINEMENT, "implementation motd")


def test_defaults_have_the_place_where_they_are_written() -> None:
    graph = graph_of(MODEL.replace(", cpus=4", ""))
    origin = graph["Host/web.example.org"].origins["cpus"]
    assert (origin.how, origin.location.line) == (How.DEFAULT, 3)


def test_the_long_answer() -> None:
    graph = graph_of(MODEL, full=True)
    name = graph["Host/web.example.org"].origins["name"]
    assert [(one.note, one.location.line) for one in name.sources if isinstance(one, Origin)] == [
        ("variable domain", 19)
    ]
    text = graph["File/web.example.org,/etc/motd"].origins["text"]
    greeting, selected = text.sources
    assert isinstance(greeting, Origin)
    assert isinstance(selected, Origin)
    assert greeting.sources == (AttributeRead("Host/web.example.org", "name"), selected)
    assert (selected.how, selected.location.line) == (How.REFINEMENT, 17)
    assert selected.sources == (AttributeRead("Host/web.example.org", None),)
    origin = graph["File/web.example.org,/etc/motd"].origin
    assert origin is not None
    assert origin.sources == (selected,)


def test_two_runs_give_the_same_ids() -> None:
    assert [one.id for one in graph_of(MODEL)] == [one.id for one in graph_of(MODEL)]


def test_resources() -> None:
    text = (
        'host = std::Host(name="vm1", os=std::linux)\n'
        'package = std::Package(host=host, name="web", state="installed")\n'
        'std::ConfigFile(host=host, path="/etc/web.conf", content="x", requires=package)\n'
    )
    rendering = LANGUAGE.renderers()["inmanta-resources"](
        MemoryPackage({"main.cf": text}), EvaluationRequest(), RenderRequest()
    )
    assert not rendering.findings
    package, file = json.loads(rendering.files["resources.json"])
    assert package == {
        "send_event": False,
        "receive_events": True,
        "report_only": False,
        "references": [],
        "mutators": [],
        "name": "web",
        "state": "installed",
        "reload": False,
        "id": "std::Package[vm1,name=web],v=0",
        "requires": [],
        "version": 0,
    }
    assert file["id"] == "std::ConfigFile[vm1,path=/etc/web.conf],v=0"
    assert file["requires"] == ["std::Package[vm1,name=web]"]
    assert (file["permissions"], file["owner"], file["purged"]) == (644, "root", False)
    assert file["hash"] == "11f6ad8ec52a2984abaafd7c3b516503785c2072"


def test_a_circle_of_resources_is_told_from_the_first_of_them_on() -> None:
    """In the order in which they require each other, wherever the search came in."""
    lines = "".join(
        f'{name} = std::Package(host=host, name="{name}", state="installed", requires={needed})\n'
        for name, needed in ("zx", "yz", "xy")
    )
    rendering = LANGUAGE.renderers()["inmanta-resources"](
        MemoryPackage({"main.cf": 'host = std::Host(name="a", os=std::linux)\n' + lines}),
        EvaluationRequest(),
        RenderRequest(),
    )
    (finding,) = rendering.findings
    way = " → ".join(f"std::Package[a,name={name}]" for name in "xyzx")
    assert finding.message == f"these resources require each other: {way}"
    assert finding.location.line == 4
    assert [related.place.location.line for related in finding.related] == [3, 2]


CONTROLLED = """names = ["x", "y"]
big = 3
limit = 2
unread = 9
entity A:
    string name
    int size
end
implement A using std::none
for n in names:
    if big > limit:
        A(name=n, size=big)
    end
end
"""


def lines_of(origin: Origin) -> set[int]:
    place = origin.place
    found = {place.line if isinstance(place, Location) else place.location.line}
    for source in origin.sources:
        if isinstance(source, Origin):
            found |= lines_of(source)
    return found


def test_what_decides_that_a_statement_runs_is_part_of_the_chain() -> None:
    (one,) = graph_of(CONTROLLED, full=True).find_by_name("A#1")
    assert lines_of(one.origins["size"]) == {1, 2, 3, 10, 11, 12}
    assert lines_of(one.origins["name"]) == {1, 2, 3, 10, 11, 12}
