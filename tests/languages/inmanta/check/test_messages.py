"""What findings say: the names in the message, the hint, the fix, the second place."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.languages.inmanta.check.validator import InmantaValidator
from sabir.source.packages import MemoryPackage
from tests.languages.inmanta.models import evaluate

HOST = "entity Host:\n    string name\nend\nentity File:\nend\nimplement Host using std::none\nimplement File using std::none\n"


def only(text: str) -> Finding:
    found = evaluate(text).findings
    assert len(found) == 1, found
    return found[0]


@pytest.mark.rows("I-026")
def test_a_double_assignment_names_the_variable_and_both_places() -> None:
    finding = only('x = 1\ny = 2\nx = "two"\n')
    assert "variable 'x' has the value 1 and cannot be set to 'two'" in finding.message
    assert {finding.location.line, *(one.place.location.line for one in finding.related)} == {1, 3}


@pytest.mark.rows("I-096")
def test_a_missing_value_names_entity_and_attribute() -> None:
    finding = only(HOST + "h = Host()\n")
    assert finding.message == "the attribute Host.name never gets a value"
    assert finding.location.line == 8
    assert finding.hint == "set name=… in the constructor, or make it 'string?'"


@pytest.mark.rows("I-124")
def test_a_wrong_multiplicity_names_relation_and_instance() -> None:
    finding = only(HOST + 'Host.files [2:3] -- File\nh = Host(name="a", files=File())\n')
    assert finding.message == "the relation Host.files [2:3] needs at least 2 values and has 1"
    assert finding.location.line == 9
    finding = only(
        HOST
        + 'Host.files [0:1] -- File\nHost.all [0:2] -- File\nh = Host(name="a", all=[File(), File(), File()])\n'
    )
    assert finding.message == "Host.all [0:2] takes at most 2 values, and this is one more"


@pytest.mark.rows("I-138")
def test_an_unknown_key_is_named() -> None:
    finding = only(HOST + 'd = {"nmae": "x"}\nHost(**d)\n')
    assert "'Host' has no attribute 'nmae', which the dict sets" in finding.message
    assert finding.hint == "did you mean 'name'?"


@pytest.mark.rows("I-041")
def test_a_slash_comment_can_be_rewritten() -> None:
    finding = only("a = 1 // one\n")
    assert finding.fix is not None
    edit = finding.fix.edits[0]
    assert (edit.place.span.start, edit.place.span.end, edit.text) == (6, 8, "#")


@pytest.mark.rows("I-125")
def test_an_old_relation_can_be_rewritten() -> None:
    finding = only(HOST + "Host host [1] -- [0:] File files\n")
    assert finding.fix is not None
    assert finding.fix.edits[0].text == "Host.files [0:] -- File.host [1]"


@pytest.mark.rows("I-134")
def test_a_positional_value_gets_its_name() -> None:
    assert only(HOST + 'Host("test")\n').hint == 'write name="test"'


def test_an_error_in_a_refinement_tells_how_it_came_there() -> None:
    finding = only(
        "entity A:\nend\nentity B:\n    int n\nend\nimplementation a for A:\n    B()\nend\n"
        "implement A using a\nimplement B using std::none\nA()\n"
    )
    assert [frame.name for frame in finding.frames] == ["implementation a of A"]


def test_consequences_are_not_reported() -> None:
    assert [one.location.line for one in evaluate('a = b\nb = c\nc = 1 + "x"\nd = a\n').findings] == [3]


def test_independent_errors_come_together() -> None:
    found = evaluate(HOST + 'a = 1 + "x"\nHost()\nb = {"k": 1}["q"]\nHost(name=2)\n').findings
    assert sorted(one.code for one in found) == ["INM:E010", "INM:E010", "INM:E012", "INM:E022"]


def test_a_cycle_is_reported_once_with_all_its_places() -> None:
    finding = only("a = b\nb = c\nc = a\n")
    assert finding.code == "INM:E015"
    assert {finding.location.line, *(one.place.location.line for one in finding.related)} == {1, 2, 3}


def test_static_errors_come_together_and_with_near_names() -> None:
    text = "entity Host:\n    strin name\nend\nentity B extends Hots:\nend\nimplement Host using std::nnoe\nx = Hst()\ny = std::cuont([])\n"
    found = sorted(evaluate(text).findings, key=lambda one: one.location.line)
    assert [one.hint for one in found] == [
        "did you mean 'string'?",
        "did you mean 'Host'?",
        "did you mean 'std::none'?",
        "did you mean 'Host'?",
        "did you mean 'std::count'?",
    ]


@pytest.mark.rows("I-117", "I-118")
def test_annotations_are_kept() -> None:
    model = evaluate("foo = 1\nbar = 2\nentity A:\nend\nentity B:\nend\nA.b [1] foo, bar B.a [1]\n")
    prop = model.definitions.entities["__config__::A"].properties["b"]
    assert [getattr(one, "name", None) for one in prop.annotations] == ["foo", "bar"]


def test_checking_runs_no_python() -> None:
    files = {
        "main.cf": "import net\nx = net::boom()\n",
        "libs/net/module.yml": "name: net\n",
        "libs/net/model/_init.cf": "",
        "libs/net/plugins/__init__.py": "from inmanta.plugins import plugin\nraise SystemExit\n@plugin\ndef boom():\n    pass\n",
    }
    assert list(InmantaValidator(MemoryPackage(files)).run()) == []


def test_checking_finds_unknown_variables() -> None:
    package = MemoryPackage(
        {"main.cf": "a = bb\nb = 1\nif b > 1:\n    c = bbb\nend\nd = true ? b : nosuch\n"}
    )
    found = [(one.code, one.location.line) for one in InmantaValidator(package).run()]
    assert found == [("INM:E003", 1), ("INM:W004", 4), ("INM:W004", 6)]
