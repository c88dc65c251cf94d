"""What people call instances, and by which other words they are found."""

from __future__ import annotations

import pytest

from sabir.errors import UsageError
from sabir.graph.graph import Graph
from sabir.languages.inmanta import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.operations.why import find_subject
from sabir.source.packages import MemoryPackage

HOST = "entity Host:\n    string name\n    int cpus = 2\nend\nimplement Host using std::none\n"


def evaluated(text: str, **overrides: int) -> Graph:
    request = EvaluationRequest(
        overrides={name.replace("__", "."): value for name, value in overrides.items()}
    )
    evaluation = LANGUAGE.evaluate(MemoryPackage({"main.cf": HOST + text}), request)
    assert not evaluation.findings
    return evaluation.graph


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ('index Host(name)\nweb = Host(name="a")\n', ["a"]),
        ('web = Host(name="a")\n', ["web"]),
        ('second = web\nweb = Host(name="a")\n', ["web"]),
        ('hosts = [Host(name="a"), Host(name="b")]\n', ["a", "b"]),
        ('Host(name="a")\nHost(name="b")\n', ["a", "b"]),
        ('Host(name="a")\nHost(name="a")\nHost(name="c")\n', ["Host#1", "Host#2", "c"]),
        ('web = Host(name="a")\nHost(name="a")\n', ["web", "Host#2"]),
        ('Host(name="")\n', ["Host#1"]),
        (
            'entity Disk:\n    int size\nend\nHost.disks [0:] -- Disk.host [1]\nindex Disk(host, size)\n'
            'implement Disk using std::none\nweb = Host(name="a")\nDisk(host=web, size=5)\n',
            ["web", "web,5"],
        ),
    ],
)  # fmt: skip
def test_what_an_instance_is_called(text: str, names: list[str]) -> None:
    assert [instance.name for instance in evaluated(text) if not instance.library] == names


@pytest.mark.parametrize("words", ["web.cpus", "Host#1.cpus", "second.cpus", "Host[web].cpus"])
def test_other_words_for_an_instance(words: str) -> None:
    graph = evaluated('web = Host(name="a")\nsecond = web\nHost(name="b")\n')
    subject = find_subject(graph, words)
    assert subject.instance is not None
    assert (subject.instance.id, subject.attribute) == ("Host[web]", "cpus")


def test_a_variable_can_be_asked_about() -> None:
    graph = evaluated("total = 1 + 1\n")
    assert find_subject(graph, "total").name(graph) == "outputs.total"
    with pytest.raises(UsageError, match="did you mean 'total'"):
        find_subject(graph, "totl")


@pytest.mark.parametrize("name", ["web", "a", "Host#1"])
def test_a_what_if_value_takes_every_name(name: str) -> None:
    graph = evaluated('web = Host(name="a")\nHost(name="b")\n', **{f"{name}__cpus": 7})
    assert graph["Host[web]"].attributes["cpus"] == 7


def test_a_what_if_value_of_an_ambiguous_name() -> None:
    with pytest.raises(UsageError, match="name of several instances"):
        evaluated('Host(name="a")\nHost(name="a")\n', a__cpus=7)


def test_what_a_library_made_is_marked() -> None:
    graph = evaluated('os = std::linux\nHost(name="a")\n')
    marked = {instance.type for instance in graph if instance.library}
    assert marked == {"std::OS"}
