"""What findings say: the names in the message, the hint, the fix, the second place."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Finding
from sabir.languages.inmanta.check import InmantaValidator
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


@pytest.mark.parametrize(
    ("text", "message", "hint"),
    [
        pytest.param(
            HOST + 'Host.files [0:] -- Fil.host [1]\nindex File(host)\nHost(name="a", files=File(host=1))\n',
            "there is no entity 'Fil'",
            "did you mean 'File'?",
            id="entity-of-a-relation",
        ),
        pytest.param(
            HOST + 'entity Vm extends Hots:\nend\nimplement Vm using std::none\nVm(name="a")\n',
            "there is no entity 'Hots'",
            "did you mean 'Host'?",
            id="parent",
        ),
        pytest.param(
            HOST + "implementation h for Hst:\nend\nimplement Host using h\n",
            "there is no entity 'Hst'",
            "did you mean 'Host'?",
            id="entity-of-an-implementation",
        ),
        pytest.param(
            "entity A:\n    int n\nA.b [0:] -- A\nx = 1\n",
            "expected an attribute or 'end', found 'A'",
            "is an 'end' missing above?",
            id="end-of-an-entity",
        ),
        pytest.param(
            HOST + 'Host(name="a, n="b")\n',
            "expected ')' or ',' after an argument, found 'b'",
            'the string "a, n=" ends just before it: is a quote missing?',
            id="quote",
        ),
        pytest.param(
            "x = index::y\n",
            "variable 'index::y': the namespace 'index' is not imported here",
            "'index' is a keyword, and no module can be called so",
            id="keyword-as-a-module",
        ),
        pytest.param(
            "z = 1\ntypedef t as int matching self > z\n",
            "the condition of type 't' reads the variable 'z': it can read 'self' only",
            "write the value itself, or give it to a function",
            id="variable-in-a-typedef",
        ),
        pytest.param(
            "typedef small as int matching self < 5\nentity A:\n    small[]? n\nend\nimplement A using std::none\nA(n=[1, 9])\n",
            "A.n is a small[]?, and [1, 9] is not",
            "small is int matching self < 5",
            id="condition-of-a-typedef",
        ),
        pytest.param(
            'typedef word as string matching /^[a-z]+$/\nentity A:\n    word w = "9"\nend\n',
            "the default '9' of 'w' is no word",
            "word is string matching /^[a-z]+$/",
            id="default-of-a-typedef",
        ),
        pytest.param(
            "entity A:\n    dict a = null\nend\n",
            "the default null of 'a' is no dict",
            'did you mean "dict? a = null"?',
            id="default-null",
        ),
        pytest.param(
            'd = {"a": 1, "b": 2}\nx = d["zzz"]\n',
            "the dict has no key 'zzz'",
            "it has: a, b",
            id="keys-of-a-dict",
        ),
        pytest.param(
            "l = [1, null]\nx = l[0]\n",
            "[1, null] is no dict and cannot be looked up in",
            "an item of a list is read with std::at(list, 0)",
            id="item-of-a-list",
        ),
        pytest.param(
            'entity A:\n    string[] l\nend\nimplement A using std::none\nA(l=["a", 1, null])\n',
            "A.l is a string[], and ['a', 1, null] is not",
            "1 is no string",
            id="item-of-a-wrong-type",
        ),
        pytest.param(
            "entity A:\n    list l\nend\nimplement A using std::none\nA(l=[A(l=[])])\n",
            "A.l is a list, and [A (instantiated at main.cf:5)] is not",
            "instances are held by a relation, not by an attribute",
            id="instance-in-an-attribute",
        ),
        pytest.param(
            "import nomodule\n",
            "there is no module 'nomodule' on the module path",
            "put it on the module path (`modulepath` in project.yml), or install it: pip install inmanta-module-nomodule",
            id="module-that-is-not-there",
        ),
    ],
)
def test_one_slip_is_one_error(text: str, message: str, hint: str) -> None:
    finding = only(text)
    assert (finding.message, finding.hint) == (message, hint)


@pytest.mark.parametrize(
    ("lookup", "shown"),
    [('File[host=h, path="/b"]', "host=Host"), ('h.files[path="/b"]', "host=Host")],
    ids=["by the index", "in a relation"],
)
def test_a_look_up_that_finds_nothing_names_the_key(lookup: str, shown: str) -> None:
    model = (
        HOST.replace("entity File:", "entity File:\n    string path")
        + "Host.files [0:] -- File.host [1]\nindex File(host, path)\n"
    )
    finding = only(model + f'h = Host(name="h")\nFile(host=h, path="/a")\nx = {lookup}\n')
    assert finding.message.startswith(f"no File with {shown}")
    assert finding.message.endswith(", path='/b' was ever made")


def test_a_failed_typedef_names_its_place() -> None:
    finding = only(
        "typedef port as int matching self > 0\nentity A:\n    port p\nend\nimplement A using std::none\nA(p=0)\n"
    )
    assert [related.place.location.line for related in finding.related] == [3, 1]


def test_a_short_name_of_several_entities_lists_them() -> None:
    module = "entity Disk extends std::Entity:\nend\n"
    files = {
        f"libs/{name}/{file}": text
        for name in ("a", "b")
        for file, text in {"module.yml": f"name: {name}\n", "model/_init.cf": module}.items()
    }
    finding = next(
        iter(evaluate("import a\nimport b\nd = Disk()\n", **files).findings),
    )
    assert finding.hint == "did you mean 'a::Disk' or 'b::Disk'?"
    relation = "entity Host:\nend\nHost.disk [0:1] -- std::Entity\nHost(disk=Disk())\n"
    finding = next(iter(evaluate("import a\nimport b\n" + relation, **files).findings))
    assert finding.message == "'Disk' is the name of 2 entities that fit here"
    assert finding.hint == "did you mean 'a::Disk' or 'b::Disk'?"


def test_an_unset_value_behind_others_is_no_circle() -> None:
    hosts = HOST.replace("string name", "string name\n    string ip") + "Host.next [1] -- Host\n"
    finding = only(hosts + 'x = Host(name="a")\nx.next.ip = y\ny = x.ip\n')
    assert (finding.code, finding.message) == ("INM:E012", "the relation Host.next [1] never gets a value")
