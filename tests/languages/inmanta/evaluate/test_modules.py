"""What published modules do: names of the namespaces around, entities told by a relation, names of the existing engine."""

from __future__ import annotations

from typing import Any

import pytest

from sabir.languages.inmanta.evaluate.constructors import INDEX_MISSING
from sabir.languages.inmanta.evaluate.values import property_of
from sabir.languages.inmanta.model.definitions import UNKNOWN_NAME
from sabir.languages.inmanta.model.entities import HIDES
from sabir.languages.inmanta.model.functions import plugin_names
from sabir.languages.inmanta.model.types import TYPE
from sabir.languages.inmanta.syntax.modules import Module, PackageTree
from sabir.source.packages import MemoryPackage
from tests.languages.inmanta.models import evaluate

_FILES = (
    "entity Host:\n    string name\nend\nentity File:\n    string path\nend\nHost.files [0:] -- File.host [1]\n"
    "index File(host, path)\nimplement Host using std::none\nimplement File using std::none\n"
)
_KINDS = {
    "libs/m/model/_init.cf": (
        "entity Base:\n    int n = 1\nend\nentity Child extends Base:\nend\nentity Holder:\nend\nHolder.one [1] -- Base\n"
        "implement Base using std::none\nimplement Child using std::none\nimplement Holder using std::none\n"
    ),
}


def module(**files: str) -> dict[str, str]:
    return {"project.yml": "name: p\n", "libs/m/module.yml": "name: m\n", **files}


def variables(text: str, files: dict[str, str]) -> dict[str, Any]:
    model = evaluate(text, **files)
    assert model.findings == []
    return model.variables()


def test_a_file_knows_what_the_namespaces_around_it_define() -> None:
    files = module(
        **{
            "libs/m/model/_init.cf": "entity A:\n    t n\nend\ntypedef t as int matching self > 0\nimplementation i for A:\nend\n",
            "libs/m/model/s.cf": "entity B extends A:\n    t? z = null\nend\nimplement B using i\ny = two()\n",
            "libs/m/plugins/__init__.py": 'from inmanta.plugins import plugin\n@plugin\ndef two() -> "int":\n    return 2\n',
        }
    )
    found = variables("import m\nimport m::s\nx = m::s::B(n=3)\ny = m::s::y\n", files)
    assert (property_of(found["x"], "n"), found["y"]) == (3, 2)


def test_variables_of_the_namespaces_around_are_not_known() -> None:
    files = module(**{"libs/m/model/_init.cf": "v = 3\n", "libs/m/model/s.cf": "y = v\n"})
    assert [one.code for one in evaluate("import m\nimport m::s\n", **files).findings] == [UNKNOWN_NAME.code]


@pytest.mark.parametrize(
    "text",
    [
        'h = Host(name="a")\nh.files += File(path="x")\n',
        'h = Host(name="a")\nh.files = [File(path="x")]\n',
        'h = Host(name="a", files=File(path="x"))\n',
        'h = Host(name="a", files=[File(path=p) for p in ["x"]])\n',
        'h = Host(name="a", files=true ? File(path="x") : File(path="y"))\n',
    ],
)
def test_the_owner_of_a_relation_identifies_what_is_put_into_it(text: str) -> None:
    found = variables(_FILES + text + 'f = File[host=h, path="x"]\ns = f.host == h\n', {})
    assert found["s"] is True
    assert not any(name.startswith("@") for name in found)


def test_only_the_missing_value_comes_from_the_owner() -> None:
    model = evaluate(_FILES + 'h = Host(name="a", files=File())\n')
    assert [one.code for one in model.findings] == [INDEX_MISSING.code]


def test_the_relation_tells_the_entity_of_a_constructor() -> None:
    text = "import m\nh = m::Holder(one=Child())\nn = h.one.n\n"
    model = evaluate(text, **module(**_KINDS))
    assert model.findings == []
    assert "m::Child" in [one.entity.name for one in model.instances]


def test_an_entity_of_the_file_itself_comes_first() -> None:
    text = "import m\nentity Child extends m::Base:\nend\nimplement Child using std::none\nh = m::Holder(one=Child())\n"
    model = evaluate(text, **module(**_KINDS))
    assert "__config__::Child" in [one.entity.name for one in model.instances]


def test_an_attribute_may_hide_a_relation_of_every_entity() -> None:
    text = 'entity Unit:\n    string[] requires = []\nend\nimplement Unit using std::none\nu = Unit(requires=["a"])\n'
    model = evaluate(text + "r = u.requires\n")
    assert [one.code for one in model.findings] == [HIDES.code]
    assert model.variables()["r"] == ["a"]
    failing = evaluate(text + "o = Unit(provides=u)\n")
    assert [one.code for one in failing.findings] == [HIDES.code, TYPE.code]


PYTHON = {
    "submodules": "from inmanta.agent import handler\n@handler.provider('m::R', name='r')\nclass H(handler.CRUDHandler):\n    pass\n",
    "constants": "import inmanta.const\nSTATE = inmanta.const.ResourceState.failed\n",
    "exceptions": "import inmanta.resources\ntry:\n    pass\nexcept inmanta.resources.ResourceNotFoundExcpetion:\n    pass\n",
    "annotations": "from inmanta.references import Reference\ndef f(x: Reference[str] | None) -> object | Reference: ...\n",
    "model types": (
        "import typing\nimport inmanta.plugins\n"
        "def g(port: typing.Annotated[int, inmanta.plugins.ModelType['std::port']]) -> int:\n    return port\n"
    ),
    "functions of std": "from inmanta_plugins.std import replace, JinjaDynamicProxy\nassert replace('a', 'a', 'b') == 'b'\n",
    "where modules lie": "from inmanta.module import Project\nassert 'm' in Project.get().modules\n",
    "hashes": "from inmanta.export import hash_file\nassert len(hash_file(b'x')) == 40\n",
}


@pytest.mark.parametrize("python", PYTHON.values(), ids=PYTHON)
def test_names_of_the_existing_engine(python: str) -> None:
    files = module(
        **{
            "libs/m/model/_init.cf": "",
            "libs/m/plugins/__init__.py": python
            + 'from inmanta.plugins import plugin\n@plugin\ndef ok() -> "bool":\n    return True\n',
        }
    )
    assert variables("import m\nx = m::ok()\n", files)["x"] is True


def test_a_path_that_begins_with_a_dot_is_in_the_module_itself() -> None:
    files = module(
        **{
            "libs/m/model/_init.cf": 'who = "you"\nt = std::template("./t.j2")\ns = std::source("./s.txt")\nl = std::list_files("./")\n',
            "libs/m/templates/t.j2": "hello {{ who }}",
            "libs/m/files/s.txt": "text",
        }
    )
    found = variables("import m\nt = m::t\ns = m::s\nl = m::l\n", files)
    assert (found["t"], found["s"], found["l"]) == ("hello you", "text", ["s.txt"])


def test_plugins_for_a_newer_python_are_known_by_name() -> None:
    text = "import inmanta.plugins\n\n@inmanta.plugins.plugin()\ndef one() -> int:\n    return (match 1)\n"
    tree = PackageTree(MemoryPackage({"plugins/__init__.py": text, "main.cf": ""}))
    assert plugin_names(Module("m", tree, tree, tree.below("plugins"), tree)) == ["one"]


VALIDATED = {
    'std::validate_type("pydantic.constr", "", {"regex": "^([0-9a-f]{2})(:[0-9a-f]{2}){5}|$", "strict": true})': True,
    'std::validate_type("pydantic.constr", "abc", {"min_length": 4})': False,
    'std::validate_type("pydantic.conint", 6, {"multiple_of": 3, "le": 6})': True,
    'std::validate_type("pydantic.conint", true)': False,
    'std::validate_type("pydantic.confloat", 1.5, {"gt": 1.5})': False,
    'std::validate_type("pydantic.condecimal", 1.25, {"decimal_places": 1})': False,
    'std::validate_type("pydantic.PositiveInt", 0)': False,
    'std::validate_type("pydantic.EmailStr", "a@b.org")': True,
    'std::validate_type("pydantic.HttpUrl", "ftp://a")': False,
    'std::validate_type("ipaddress.IPv4Network", "10.0.0.0/24")': True,
    'std::validate_type("uuid.UUID", "x")': False,
    'std::validate_type("datetime.date", "2026-02-30")': False,
}


@pytest.mark.parametrize("call", VALIDATED)
def test_validate_type(call: str) -> None:
    assert variables(f"x = {call}\n", {})["x"] is VALIDATED[call]


STD = {
    'h = std::Host(name="a", os=std::macos)\nx = h.host_config.host == h\n': True,
    'h = std::Host(name="a", os=std::linux, ip="10.0.0.1", remote_agent=true)\nc = std::AgentConfig[agentname="a"]\nx = c.uri\n': "ssh://root@10.0.0.1:22?python=python",
    'p = std::Package(host=std::Host(name="a", os=std::linux), name="p", state="latest", reload=true)\nx = p.send_event\n': True,
    'm = std::MutableString()\nif true:\n    m.value = "a"\nend\nx = m.value\n': "a",
    "import std::testing\nr = std::testing::NullResource()\nx = r.managed\n": True,
    'g = std::HostGroup(name="g", hosts=std::Host(name="a", os=std::unix))\nx = std::count(g.hosts)\n': 1,
    'h = std::Host(name="a", os=std::unix)\nx = std::is_instance(h, "std::ManagedDevice")\n': True,
    'h = std::Host(name="a", os=std::unix)\nx = std::getattr(h, "nosuch", 3)\n': 3,
}


@pytest.mark.parametrize("text", STD)
def test_std(text: str) -> None:
    assert variables(text, {})["x"] == STD[text]
