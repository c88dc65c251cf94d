"""One law for all languages: what is inserted, and the order of statements and keys, leaves the addresses of others alone.

Each language has the head of a description and pieces that can stand below it in any number and order. An instance is
recognised in two descriptions by what it holds; its address must be the same.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import Struct

from sabir.graph import Graph
from sabir.graph.values import Value
from sabir.languages import ccp, inmanta, muranopl, tosca
from sabir.languages.language import Evaluation, EvaluationRequest, Language
from sabir.source.packages import MemoryPackage
from tests.languages.muranopl.packages import files as package_files


class Kind(Struct, frozen=True):
    language: Language
    pieces: tuple[str, ...]
    files: Callable[[str], Mapping[str, str]]
    """The package of a text, the pieces one behind the other."""
    is_sequence: bool = False
    """Whether the order of the pieces is something that the author says."""


INMANTA = """\
entity Host:
    string ip
end
entity Named:
    string name
end
index Named(name)
implement Host using std::none
implement Named using std::none
"""
TOSCA = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  test.App:
    derived_from: tosca.nodes.Root
    properties: {port: {type: integer}}
    requirements:
      - uses: {capability: tosca.capabilities.Node, node: tosca.nodes.Root, occurrences: [0, UNBOUNDED]}
topology_template:
  node_templates:
    left: {type: test.App, properties: {port: 1}}
    right: {type: test.App, properties: {port: 2}}
    'odd [1] | 5%': {type: test.App, properties: {port: 3}}
    all:
      type: test.App
      properties: {port: 4}
      requirements:
        - uses: right
"""
MURANOPL = """\
Name: Root
Properties:
  title:
    Contract: $.string()
  single:
    Contract: $.class(Root)
  parts:
    Contract: [$.class(Root)]
  made:
    Contract: [$.class(Root)]
    Usage: Out
Methods:
  .init:
    Body:
      - If: $.title = null
        Then:
          - $.made: list(new(Root, $this, title => by), new(Root, $this, title => code), new(Root, title => by))
"""
ROOT = "'?': {id: root, type: demo.Root}\n"
RENAME = """\
          - $.title: root
  rename:
    Arguments:
      - title: {Contract: $.string()}
    Body:
      - $.title: $title
      - Return: $this
"""
CODE = """\
Name: Root
Properties:
  title:
    Contract: $.string()
    Usage: InOut
  a: &out {Contract: $.class(Root), Usage: Out}
  b: *out
  c: *out
  d: *out
  e: {Contract: [$.class(Root)], Usage: Out}
Methods:
  equal:
    Body:
      Return: new(Root, title => equal)
  .init:
    Body:
      - If: $.title = null
        Then:
"""
MODEL = """\
'?': {id: root, type: demo.Root}
single: {'?': {type: demo.Root}, title: alone}
parts:
- {'?': {type: demo.Root}, title: always}
"""
CCP = """\
dsl_version: 0.8.0
service:
  name: web
  containers:
  - name: api
    image: api
    daemon: {command: serve}
    pre:
    - {command: always}
"""
KINDS = {
    "inmanta": Kind(
        inmanta.LANGUAGE,
        (
            'left = Host(ip="10.0.0.1")\n',
            'Host(ip="10.0.0.2")\n',
            'Host( ip = "10.0.0.3" )\n',
            'for last in ["7", "8"]:\n    Host(ip=last)\nend\n',
            'Named(name="b [|%]")\n',
        ),
        lambda text: {"main.cf": INMANTA + text},
    ),
    "tosca": Kind(
        tosca.LANGUAGE,
        ("        - uses: left\n", "        - uses: {node: 'odd [1] | 5%'}\n", "        - uses: all\n"),
        lambda text: {"service.yaml": TOSCA + text},
    ),
    "muranopl": Kind(
        muranopl.LANGUAGE,
        (
            "- {'?': {type: demo.Root}, title: a}\n",
            "- {title: b, '?': {type: demo.Root}}\n",
            "- {'?': {type: demo.Root, name: named}, title: c}\n",
            "- {'?': {type: demo.Root, id: d}, title: d}\n",
            "- {'?': {type: demo.Root}, title: e, parts: [{'?': {type: demo.Root}, title: inner}]}\n",
        ),
        lambda text: package_files(MURANOPL, MODEL + text),
    ),
    # Objects that are equal when they are made, and are told apart by what they are made for.
    "muranopl code": Kind(
        muranopl.LANGUAGE,
        (
            "          - $.a: new(Root, title => equal)\n          - $.a.rename(a)\n",
            "          - $b: new(Root, title => equal)\n          - $b.rename(b)\n          - $.b: $b\n",
            "          - $.c: $.equal()\n          - $.c.rename(c)\n",
            "          - $d: $.equal()\n          - $d.rename(d)\n          - $.d: $d\n",
            "          - $.e: list($.equal().rename(e))\n",
        ),
        lambda text: package_files(CODE + text + RENAME, ROOT),
    ),
    "ccp": Kind(
        ccp.LANGUAGE,
        (
            "    - {command: migrate}\n",
            "    - {command: 'echo [a] | b'}\n",
            "    - {name: named, command: named}\n",
            "    - {name: odd, command: check}\n",
        ),
        lambda text: {"service/web.yaml": CCP + text},
        is_sequence=True,
    ),
}


def evaluated(kind: Kind, pieces: list[str]) -> Evaluation:
    evaluation = kind.language.evaluate(MemoryPackage(dict(kind.files("".join(pieces)))), EvaluationRequest())
    assert not [finding for finding in evaluation.findings if str(finding.severity).endswith("ERROR")]
    return evaluation


def graph_of(kind: Kind, pieces: list[str]) -> Graph:
    return evaluated(kind, pieces).graph


def addresses(kind: Kind, pieces: list[str]) -> dict[str, str]:
    """The ids of instances, with what tells them apart: plain attributes, and the target of a requirement."""
    held = {}
    for instance in graph_of(kind, pieces):
        plain = {
            key: value for key, value in instance.attributes.items() if isinstance(value, str | int | float)
        }
        held[instance.id] = repr((instance.type, sorted(plain.items()), instance.relations.get("target")))
    return held


def wanted(kind: Kind, pieces: list[str]) -> dict[str, object]:
    """What a plan compares: all that a description asks for, by address, and the graph it was made from."""
    evaluation = evaluated(kind, pieces)
    return {
        **{str(resource.address): _fields(resource.desired) for resource in evaluation.wanted().resources},
        **{f"= {instance.id}": _fields(instance.attributes) for instance in evaluation.graph},
    }


def _fields(values: Mapping[str, Value]) -> dict[str, str]:
    # The text of a package is a field of the program that it is; the order of a list is what its author wrote.
    return {
        name: repr(sorted(map(str, value)) if isinstance(value, list | tuple) else value)
        for name, value in values.items()
        if not name.startswith("package ")
    }


@pytest.fixture(autouse=True, scope="module")
def started() -> None:
    """What a language sets once for the process, such as the recursion limit, is set before examples are counted."""
    for kind in KINDS.values():
        graph_of(kind, [])


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_what_stands_around_leaves_an_address_alone(name: str, data: st.DataObject) -> None:
    kind = KINDS[name]
    pieces = data.draw(st.permutations(kind.pieces))
    count = data.draw(st.integers(0, len(pieces)))
    whole, some = addresses(kind, pieces), addresses(kind, pieces[:count])
    assert some.items() <= whole.items()
    assert whole == addresses(kind, sorted(pieces))


@pytest.mark.parametrize("name", KINDS)
def test_ids_are_texts_of_addresses(name: str) -> None:
    graph = graph_of(KINDS[name], list(KINDS[name].pieces))
    assert {str(graph.address(instance.id)) for instance in graph} == {instance.id for instance in graph}


@pytest.mark.parametrize("name", KINDS)
@settings(max_examples=15, deadline=None)
@given(data=st.data())
def test_other_lines_give_an_empty_plan(name: str, data: st.DataObject) -> None:
    """What is wanted stays as it is when lines change places, or when lines come that say nothing."""
    kind = KINDS[name]
    pieces = kind.pieces if kind.is_sequence else data.draw(st.permutations(kind.pieces))
    comments = [data.draw(st.sampled_from(["", "\n", "# a remark\n"])) for _ in pieces]
    other = [part for pair in zip(comments, pieces, strict=True) for part in pair]
    assert wanted(kind, other) == wanted(kind, list(kind.pieces))


@pytest.mark.parametrize("name", sorted(KINDS.keys() - {"muranopl code"}))
def test_equal_pieces_are_counted(name: str) -> None:
    piece = KINDS[name].pieces[1]
    once, twice = addresses(KINDS[name], [piece]), addresses(KINDS[name], [piece, piece])
    assert once.items() <= twice.items()
    assert len(twice) == len(once) + 1
