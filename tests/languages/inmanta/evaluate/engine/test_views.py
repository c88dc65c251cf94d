"""What Python of modules asks about entities, other plug-ins, templates and facts."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sabir.diagnostics.finding import Severity
from sabir.languages.inmanta.evaluate.inputs import ModelInputs
from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.session import Session, Trust
from sabir.source.packages.load import load_package

MODEL = """
entity Box extends std::Resource:
    string name
    int[] sizes = [1]
    string? note = null
end
entity Item extends Box:
    string key
end
Box.items [0:] -- Item.parent [1]
Box.lid [0:1] -- Item
index Item(parent, key)
implement Box using std::none
implement Item using std::none
"""
HEAD = """
from inmanta.agent.handler import provider
from inmanta.ast import OptionalValueException
from inmanta.ast.attribute import RelationAttribute
from inmanta.ast.entity import Entity
from inmanta.execute.proxy import DictProxy, DynamicProxy, SequenceProxy
from inmanta.plugins import Context, plugin
from inmanta.resources import Resource, resource


@resource("m::Box", agent="name", id_attribute="name")
class BoxResource(Resource):
    fields = ("name",)
"""
MAIN = """
import m
box = m::Box(name="b")
item = m::Item(name="i", key="k", parent=box)
"""


def evaluated(
    folder: Path, python: str, main: str, facts: dict[tuple[str, str], str] | None = None
) -> EvaluatedModel:
    module = folder / "libs" / "m"
    for inner in ("model", "plugins"):
        (module / inner).mkdir(parents=True)
    (folder / "main.cf").write_text(MAIN + main)
    (folder / "project.yml").write_text("name: p\nmodulepath: libs\n")
    (module / "module.yml").write_text("name: m\nversion: 1.0\nlicense: MIT\n")
    (module / "model" / "_init.cf").write_text(MODEL)
    (module / "plugins" / "__init__.py").write_text(HEAD + python)
    session = Session(trust=Trust(python=True))
    model = evaluate_package(load_package(folder), session=session, given=ModelInputs(facts=facts or {}))
    errors = [finding.message for finding in model.findings if finding.severity is Severity.ERROR]
    assert not errors
    return model


ABOUT_TYPES = [
    ("e._type().get_full_name()", "m::Item"),
    ("e._type().get_all_parent_names()", ["m::Box", "std::Resource", "std::Entity"]),
    ("e._type().get_indices()", [["key", "parent"]]),
    ("sorted(e._type().attributes)", ["key", "parent"]),
    ("e._type().has_attribute('items')", True),
    ("e._type().get_attribute('nothing') is None", True),
    ("isinstance(e._type(), Entity)", True),
    ("isinstance(e._type().get_attribute('parent'), RelationAttribute)", True),
    ("isinstance(e._type().get_attribute('key'), RelationAttribute)", False),
    ("e._type().get_attribute('parent').end.name", "items"),
    ("e._type().get_attribute('parent').end.is_multi()", True),
    ("e._type().get_attribute('parent').is_optional()", False),
    ("e._type().get_attribute('lid').end is None", True),
    ("e._type().get_attribute('lid').type.get_full_name()", "m::Item"),
    ("e._type().get_attribute('note').is_optional()", True),
    ("e._type().get_attribute('sizes').is_multi()", True),
    ("e._type().get_attribute('key').type.type_string()", "string"),
    ("e._type() is e.parent.items[0]._type()", True),
    ("isinstance(e, DynamicProxy)", True),
    ("isinstance(e.sizes, SequenceProxy)", True),
    ("isinstance(e.sizes, DictProxy)", False),
    ("DynamicProxy.unwrap(e) is DynamicProxy.unwrap(e)", True),
]


@pytest.mark.parametrize(("expression", "expected"), ABOUT_TYPES)
def test_what_is_asked_of_an_instance(tmp_path: Path, expression: str, expected: Any) -> None:
    python = f'@plugin\ndef ask(e: "m::Item") -> "any":\n    return {expression}\n'
    model = evaluated(tmp_path, python, "answer = m::ask(item)\n")
    assert model.variables()["answer"] == expected


def test_an_optional_relation_without_a_value_raises(tmp_path: Path) -> None:
    python = """
@plugin
def ask(e: "m::Item") -> "string":
    try:
        return e.lid.name
    except OptionalValueException:
        return "none"
"""
    assert (
        evaluated(tmp_path, python, "item.lid = null\nanswer = m::ask(item)\n").variables()["answer"]
        == "none"
    )


def test_other_plugins_and_variables_by_name(tmp_path: Path) -> None:
    python = """
@plugin
def double(n: "int") -> "int":
    return 2 * n

@plugin
def ask(ctx: Context) -> "any":
    plugins = ctx.get_compiler().get_plugins()
    return [plugins["m::double"](4), ctx.get_resolver().lookup("item").get_value().get_attribute("key").get_value()]
"""
    assert evaluated(tmp_path, python, "answer = m::ask()\n").variables()["answer"] == [8, "k"]


def test_what_a_module_puts_in_place_of_a_plugin_is_called(tmp_path: Path) -> None:
    python = """
@plugin
def ask(n: "int") -> "int":
    return n

def other(self, n):
    return -n
ask.__plugin__.call = other
"""
    assert evaluated(tmp_path, python, "answer = m::ask(3)\n").variables()["answer"] == -3


def test_facts_are_asked_of_a_client(tmp_path: Path) -> None:
    python = """
from inmanta.protocol.endpoints import SyncClient
@plugin
def ask(ctx: Context) -> "any":
    async def one():
        return await ctx.get_client().get_param(tid="x", id="size", resource_id="m::Box[b,name=b]")
    known = ctx.run_sync(one)
    unknown = SyncClient("compiler").get_param(tid="x", id="size", resource_id="m::Box[c,name=c]")
    return [known.code, known.result["parameter"]["value"], unknown.code]
"""
    facts = {("m::Box[b,name=b]", "size"): "7"}
    assert evaluated(tmp_path, python, "answer = m::ask()\n", facts).variables()["answer"] == [200, "7", 404]


def test_classes_are_the_same_when_they_are_imported_later(tmp_path: Path) -> None:
    python = 'KIND = Resource\n@plugin\ndef same() -> "bool":\n    from inmanta.resources import Resource\n    return Resource is KIND\n'
    model = evaluated(tmp_path, python, "")
    with model.python.importable():
        import importlib

        module = importlib.import_module("inmanta_plugins.m")
        assert module.same()
    with model.python.importable():
        assert importlib.import_module("inmanta_plugins.m") is module


def test_an_installed_std_that_is_not_there_is_said(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [])
    (tmp_path / "main.cf").write_text("a = 1\n")
    model = evaluate_package(load_package(tmp_path), session=Session(), std="installed")
    assert [finding.code for finding in model.findings] == ["INM:E002"]
    assert "--std installed" in (model.findings[0].hint or "")
