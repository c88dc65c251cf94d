"""Plug-ins: with or without the existing engine, refused when asked, their failures as findings."""

from __future__ import annotations

import importlib
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.session import Session, Trust
from sabir.source.packages import MemoryPackage

TRUSTING = Session(trust=Trust(python=True))
HEAD = (
    "from inmanta.plugins import plugin, Context, PluginException\nfrom inmanta.resources import Resource, resource, IgnoreResourceException\n"
    "from inmanta.agent.handler import CRUDHandler, provider, HandlerContext\nimport inmanta.const\nfrom inmanta.execute.util import Unknown\n"
)


def run(main: str, python: str, model: str = "", *, plugins: bool = True) -> EvaluatedModel:
    files = {
        "main.cf": "import m\n" + main,
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": model,
        "libs/m/plugins/__init__.py": HEAD + python,
        "libs/m/plugins/other.py": 'from inmanta.plugins import plugin\n\n@plugin\ndef elsewhere() -> "int":\n    return 7\n',
    }
    return evaluate_package(MemoryPackage(files), session=Session(trust=Trust(python=plugins)))


def test_what_real_modules_write() -> None:
    python = """
import inmanta_plugins.m.other
from inmanta_plugins.m.other import elsewhere

@resource("m::R", agent="name", id_attribute="name")
class R(Resource):
    fields = ("name",)

@provider("m::R", name="r")
class Handler(CRUDHandler):
    def read_resource(self, ctx: HandlerContext, resource: R) -> None:
        pass

@plugin
def optional(ctx: Context, value: "string?" = None, *, flag: bool = False) -> "string":
    return f"{value}-{flag}"

@plugin("renamed")
def _x(values: list[int]) -> int:
    return sum(values) + elsewhere()
"""
    model = run(
        'a = m::optional()\nb = m::optional("x", flag=true)\nc = m::renamed([1, 2])\nd = m::elsewhere()\n',
        python,
    )
    assert not model.findings
    assert {name: model.variables()[name] for name in "abcd"} == {
        "a": "None-False",
        "b": "x-True",
        "c": 10,
        "d": 7,
    }


def test_nothing_stays_behind() -> None:
    run("", "")
    assert not [name for name in sys.modules if name.split(".")[0] in ("inmanta", "inmanta_plugins")]


def test_a_model_means_the_same_beside_a_real_installation(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "inmanta").mkdir()
    (tmp_path / "inmanta" / "__init__.py").write_text("REAL = True\n")
    (tmp_path / "inmanta" / "plugins.py").write_text("raise RuntimeError\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    importlib.import_module("inmanta")
    try:
        model = run("x = m::f()\n", '\n@plugin\ndef f() -> "bool":\n    return True\n')
        assert model.variables()["x"] is True
        assert sys.modules["inmanta"].REAL
    finally:
        del sys.modules["inmanta"]


def test_what_is_not_offered_says_so_when_it_is_used() -> None:
    python = """
from inmanta.server import Server
from inmanta.protocol import Client

@plugin
def typed(value: Client = None) -> "int":
    return 1

@plugin
def used() -> "int":
    return Server().port
"""
    assert run("x = m::typed()\n", python).variables()["x"] == 1
    (finding,) = run("x = m::used()\n", python).findings
    assert "inmanta.server.Server is not offered by sabir" in finding.message
    (finding,) = run("", "from inmanta.server import Server\n\nclass Mine(Server):\n    pass\n").findings
    assert "inmanta.server.Server is not offered by sabir" in finding.message


def test_refused() -> None:
    model = run("x = m::boom()\n", "raise SystemExit\n@plugin\ndef boom():\n    pass\n", plugins=False)
    assert [one.code for one in model.findings] == ["INM:E023"]


def test_loading_says_so() -> None:
    said: list[str] = []
    files = {
        "main.cf": "import m\n",
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "",
        "libs/m/plugins/__init__.py": HEAD + '@plugin\ndef f() -> "int":\n    return 1\n',
    }
    evaluate_package(MemoryPackage(files), session=TRUSTING, on_notice=said.append)
    assert said == ["the model runs Python: plug-ins of the module m"]


def test_an_exception_has_both_places() -> None:
    python = '\n@plugin\ndef boom(n: "int") -> "int":\n    m = n - 1\n    return n // m\n'
    finding = run("a = 1\nx = m::boom(a)\n", python).findings[0]
    assert finding.code == "INM:E021"
    assert finding.location.line == 3
    assert "ZeroDivisionError" in finding.message
    related = finding.related[0].place
    assert related.location.file == "libs/m/plugins/__init__.py"
    assert related.source.slice(related.span) == "return n // m"


@pytest.mark.parametrize("python", ["import nosuchpackage\n", "def f(:\n", "1 / 0\n"])
def test_python_that_cannot_be_loaded(python: str) -> None:
    finding = run("", python).findings[0]
    assert finding.code == "INM:E021"
    assert finding.location.file == "libs/m/plugins/__init__.py"
    assert finding.location.line == HEAD.count("\n") + 1


@pytest.mark.parametrize("call", ["m::leave()", "m::leave(**{})"])
def test_a_plugin_that_exits_ends_nothing_but_its_call(call: str) -> None:
    python = "import sys\n@plugin\ndef leave() -> int:\n    sys.exit(3)\n"
    finding = run(f"x = {call}\n", python).findings[0]
    assert finding.code == "INM:E021"
    assert finding.message == "m::leave(…) failed: SystemExit: 3"


def test_a_module_that_exits_while_it_is_loaded_is_named() -> None:
    finding = run("", "raise SystemExit(4)\n").findings[0]
    assert finding.code == "INM:E021"
    assert finding.message == "the plug-ins of module 'm' cannot be loaded: SystemExit: 4"


def test_a_plugin_waits_for_what_it_reads() -> None:
    """`except Exception` in a plug-in must not swallow the wait for an attribute that comes later."""
    python = '\n@plugin\ndef read(e: "m::E") -> "string":\n    try:\n        return e.name + str(len(e.parts))\n    except Exception:\n        return \'swallowed\'\n'
    model = "entity E:\n    string name\nend\nE.parts [0:] -- E\nimplement E using std::none\n"
    result = run(
        'x = m::read(e)\ne = m::E()\ne.parts += m::E(name="p")\ny = "late"\ne.name = y\n', python, model
    )
    assert not result.findings
    assert result.variables()["x"] == "late1"


@pytest.mark.parametrize(
    ("call", "value"),
    [
        ('std::replace("aXb", "X", "-")', "a-b"),
        ('std::format("{} is {n}", "x", n=3)', "x is 3"),
        ("std::len([1, 2])", 2),
        ("std::sequence(3, 1)", [1, 2, 3]),
        ("std::unique([1, 1])", False),
        ("std::flatten([1, 2])", [1, 2]),
        ('std::json_loads("{\\"a\\": [1]}")', {"a": [1]}),
        ('std::json_dumps({"b": 1})', '{"b": 1}'),
        ('std::ipindex("10.0.0.0/24", 5)', "10.0.0.5"),
        ('std::ipnet("10.0.0.7/24", "network")', "10.0.0.0"),
        ('std::ipnet("10.0.0.7/24", "prefixlen")', 24),
        ('std::add_to_ip("10.0.0.1", 4)', "10.0.0.5"),
        ('std::get_env("SABIR_NOT_SET", "d")', "d"),
        ('std::validate_type("pydantic.conint", 5, {"gt": 3})', True),
        ('std::validate_type("pydantic.constr", "xyz", {"regex": "((x)|y|z)*+"})', True),
        ('std::familyof(std::linux, "unix")', True),
        ('std::at(["a", "b"], 1)', "b"),
        ('std::split("a,b", ",")', ["a", "b"]),
        ('std::capitalize("ab")', "Ab"),
        (
            'std::is_unknown(std::getfact(std::Package(host=std::Host(name="h", os=std::linux), name="p", state="installed"), "ip"))',
            True,
        ),
        ('std::key_sort([std::windows, std::linux], "name") == [std::linux, std::windows]', True),
        ('std::select([std::linux], "name")', ["linux"]),
    ],
)
def test_functions_of_std(call: str, value: object) -> None:
    session = Session(trust=Trust(env=True))
    model = evaluate_package(MemoryPackage({"main.cf": f"x = {call}\n"}), session=session)
    assert not model.findings
    assert model.variables()["x"] == value


@pytest.mark.parametrize("call", ['get_env("PORT", "80")', 'get_env_int("PORT", 80)', 'get_env("PORT")'])
def test_a_variable_needs_leave_and_never_becomes_its_default(call: str) -> None:
    session = Session(environment={"PORT": "81", "HOME": "/"}, trust=Trust.of(["env:HOME"]))
    model = evaluate_package(MemoryPackage({"main.cf": f"x = std::{call}\n"}), session=session)
    (finding,) = model.findings
    assert (finding.code, finding.location.line) == ("INM:E023", 1)
    assert finding.message == "the environment variable 'PORT' is not read: the model is not trusted with it"
    assert finding.hint == "allow it with --trust env:PORT, or all variables with --trust env"
    assert "x" not in model.variables()


@pytest.mark.parametrize(
    ("kind", "good", "bad"),
    [
        ("ipv4_address", "10.0.0.1", "10.0.0.256"),
        ("ipv6_network", "fe80::/64", "fe80::1/64"),
        ("ipv_any_interface", "10.0.0.1/24", "10.0.0.1"),
        ("date", "2026-11-16", "16.11.2026"),
        ("datetime", "2026-11-16T01:00:00", "now"),
        ("uuid", "550e8400-e29b-41d4-a716-446655440000", "550e8400"),
        ("http_url", "https://example.org/", "ftp://example.org/"),
        ("hoststring", "a.example.org", "a b"),
        ("base64", "YWI=", "a b"),
        ("mac_addr", "00:11:22:33:44:55", "00:11"),
    ],
)
def test_types_of_std(kind: str, good: str, bad: str) -> None:
    text = f'entity E:\n    std::{kind} v\nend\nimplement E using std::none\nE(v="%s")\n'
    assert not evaluate_package(MemoryPackage({"main.cf": text % good}), session=Session()).findings
    assert [
        one.code
        for one in evaluate_package(MemoryPackage({"main.cf": text % bad}), session=Session()).findings
    ] == ["INM:E010"]


def test_templates_cannot_reach_python() -> None:
    for text in (
        "{{ ''.__class__.__mro__ }}",
        "{{ x.__init__ }}",
        "{{ e._instance }}",
        "{{ e.entity }}",
        "{% for i in range(99999999) %}{% endfor %}",
    ):
        files = {
            "main.cf": 'import m\nx = "a"\nentity E:\nend\nimplement E using std::none\ne = E()\ny = std::template("m/t.j2")\n',
            "libs/m/module.yml": "name: m\n",
            "libs/m/model/_init.cf": "",
            "libs/m/templates/t.j2": text,
        }
        assert evaluate_package(MemoryPackage(files), session=Session()).findings, text


MODEL = (
    "entity E:\n    string name\n    dict extra = {}\nend\nE.parts [0:] -- E.whole [0:1]\n"
    "implement E using std::none\nindex E(name)\n"
)


@pytest.mark.parametrize(
    ("body", "shown"),
    [
        ("e.name", "a"),
        ("sorted(part.name for part in e.parts)", ["b", "c"]),
        ("e.parts[0].whole is e and e.parts[0] == e.parts[0] and len({e, e.parts[0].whole}) == 1", True),
        ("[e.parts == list(reversed(e.parts)), e in e.parts[0].whole.parts]", [True, False]),
        ("[e._type().name, e._type().get_full_name()]", ["E", "m::E"]),
        ("[getattr(e, 'nosuch', 'none'), hasattr(e, 'extra')]", ["none", True]),
        ("repr(e)", "m::E (instantiated at main.cf:2)"),
        ("copy.deepcopy([e])[0] is e", True),
        ("isinstance(e, DynamicProxy)", True),
        ("std.attr(e, 'name') + std.select(e.parts, 'name')[0]", "ab"),
        ("[refused(lambda: setattr(e, 'name', 'z')), refused(lambda: delattr(e, 'name'))]", [True, True]),
        ("refused(lambda: setattr(e, '_instance', None))", True),
    ],
)
def test_what_a_plugin_sees_of_an_instance(body: str, shown: object) -> None:
    python = (
        "import copy\nimport inmanta_plugins.std as std\nfrom inmanta.execute.proxy import DynamicProxy\n"
        "def refused(change):\n    try:\n        change()\n    except AttributeError:\n        return True\n"
        f'@plugin\ndef see(e: "m::E") -> "any":\n    return {body}\n'
    )
    main = 'e = m::E(name="a")\ne.parts += [m::E(name="b"), m::E(name="c")]\nx = m::see(e)\n'
    model = run(main, python, MODEL)
    assert not model.findings
    assert model.variables()["x"] == shown


def test_what_a_plugin_answers_is_an_instance_again() -> None:
    python = (
        '@plugin\ndef same(e: "m::E") -> "m::E":\n    return e\n'
        '@plugin\ndef nested(e: "m::E") -> "dict":\n    return {"of": {"parts": (e, [e])}}\n'
    )
    model = run(
        'e = m::E(name="a")\nx = m::same(e)\ny = m::nested(e)\nx.parts += m::E(name="b")\n', python, MODEL
    )
    assert not model.findings
    variables = model.variables()
    assert variables["x"] is variables["e"]
    assert variables["y"]["of"]["parts"][0] is variables["e"]


def test_an_attribute_may_have_any_name_in_a_template() -> None:
    """Names of the evaluator's own parts are free: `values`, `maker`, `site` are attributes like others."""
    files = {
        "main.cf": "import m\nentity E:\n    string values\n    string maker\n    string site\n    string view\nend\n"
        'implement E using std::none\ne = E(values="1", maker="2", site="3", view="4")\n'
        'x = std::template("m/t.j2")\n',
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "",
        "libs/m/templates/t.j2": "{{ e.values }}{{ e.maker }}{{ e['site'] }}{{ [e] | map(attribute='view') | first }}",
    }
    model = evaluate_package(MemoryPackage(files), session=Session())
    assert not model.findings
    assert model.variables()["x"] == "1234"


@pytest.mark.parametrize(
    ("value", "change"),
    [
        ("[3, 1]", "v.append(9)"),
        ("[3, 1]", "v += [9]"),
        ("[3, 1]", "v[0] = 9"),
        ("[3, 1]", "v.sort()"),
        ('[{"a": 1}]', "v[0].clear()"),
        ('{"a": 1}', 'v["a"] = 9'),
        ('{"a": 1}', "v.update(a=9)"),
        ('{"a": [1]}', 'v["a"].clear()'),
    ],
)
def test_plugins_cannot_change_values(value: str, change: str) -> None:
    python = f'@plugin\ndef change(v: "any") -> "any":\n    {change}\n    return v\n'
    (finding,) = run(f"x = {value}\ny = m::change(x)\n", python).findings
    assert finding.code == "INM:E021"
    assert "cannot be changed: Python code reads values and never changes them" in finding.message


@pytest.mark.parametrize(
    ("value", "read", "result"),
    [
        ("[3, 1]", "isinstance(v, list) and sorted(v)", [1, 3]),
        ("[3, 1]", "v + [9]", [3, 1, 9]),
        ("[3, 1]", "v", [3, 1]),
        ('[{"a": 1}]', "[v[0], *v]", [{"a": 1}, {"a": 1}]),
        ("[3, 1]", "__import__('copy').deepcopy(v)", [3, 1]),
        ('{"a": [1]}', "isinstance(v, dict) and {**v, 'b': 2}", {"a": [1], "b": 2}),
        ('{"a": [1]}', "__import__('json').dumps(v)", '{"a": [1]}'),
        ('{"a": [1]}', "v | {}", {"a": [1]}),
    ],
)
def test_plugins_read_lists_and_dicts_as_their_own(value: str, read: str, result: object) -> None:
    model = run(f"y = m::read({value})\n", f'@plugin\ndef read(v: "any") -> "any":\n    return {read}\n')
    assert not model.findings
    assert model.variables()["y"] == result
    assert type(model.variables()["y"]) is type(result)


def test_the_surroundings_come_from_the_session() -> None:
    session = Session(
        trust=Trust.of(["python", "env:PORT"]),
        environment={"PORT": "80"},
        clock=lambda: datetime(1970, 1, 2, tzinfo=UTC),
    )
    files = {
        "main.cf": 'import m\na = std::get_env("PORT")\nb = std::get_env_int("PORT")\nc = std::timestamp()\nd = m::port()\n',
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "",
        "libs/m/plugins/__init__.py": HEAD
        + 'from inmanta_plugins.std import get_env\n\n@plugin\ndef port() -> "string":\n    return get_env("PORT")\n',
    }
    model = evaluate_package(MemoryPackage(files), session=session)
    assert not model.findings
    assert model.variables() == {"a": "80", "b": 80, "c": 86400, "d": "80"}


def test_a_plugin_belongs_to_the_module_it_stands_in() -> None:
    """Even when the Python of another module imports it first."""
    files = {"main.cf": "import a\nimport b\nx = b::f()\n"}
    for name, python in [
        ("a", "from inmanta_plugins.b import f\n"),
        ("b", "@plugin\ndef f() -> 'int':\n    return 4\n"),
    ]:
        files[f"libs/{name}/module.yml"] = f"name: {name}\n"
        files[f"libs/{name}/model/_init.cf"] = ""
        files[f"libs/{name}/plugins/__init__.py"] = HEAD + python
    model = evaluate_package(MemoryPackage(files), session=TRUSTING)
    assert not model.findings
    assert model.variables()["x"] == 4


@pytest.mark.parametrize(
    ("python", "since"),
    [
        ("def first[T](items: list[T]) -> T:\n    return items[0]\n", (3, 12)),
        ("async def first[**P](): ...\n", (3, 12)),
        ("class Box[T]: ...\n", (3, 12)),
        ("type Names = list[str]\n", (3, 12)),
        ("type Names[T] = list[T]\n", (3, 12)),
        ('d = {"a": 1}\ny = f"{d["a"]}"\n', (3, 12)),
        ("y = f'{1!r:{'>4'}}'\n", (3, 12)),
        ("y = f\"{'\\n'.join(['a'])}\"\n", (3, 12)),
        ('y = f"{\n    1  # of it\n}"\n', (3, 12)),
        ("def first[T = int](item: T) -> T: ...\n", (3, 13)),
        ('y = t"hello"\n', (3, 14)),
    ],
)
def test_python_of_a_newer_version(python: str, since: tuple[int, int]) -> None:
    findings = run("", python).findings
    if sys.version_info >= since:
        assert not findings
        return
    (finding,) = findings
    assert f"is written for Python {since[0]}.{since[1]} or newer" in (finding.hint or "")


@pytest.mark.parametrize(
    "python",
    ["def f(:\n", 'y = f"{1"\n', 'y = f"{"\n', "y = 'abc\n", "x = [1\n", "type = = 1\n", "y = f'{}'\n"],
)
def test_python_that_no_version_reads(python: str) -> None:
    (finding,) = run("", python).findings
    assert "SyntaxError" in finding.message
    assert finding.hint is None
