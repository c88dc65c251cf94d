"""The table of names agrees with the tables of the modules, and plug-ins add to it without touching it."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules

import pytest

from sabir.errors import PluginError
from sabir.expressions.query import QueryError, evaluate, functions, map_value
from sabir.expressions.query.functions import find_function, function_names
from sabir.expressions.query.functions.registry import MODULES, hint_for, is_standalone, load_plugins
from tests.expressions.query.plain import PlainResource
from tests.support.plugin_path import install

PLUGIN = """\
from sabir.expressions.query.functions import Function, table

def shout(call, context):
    return call.text(context, "what to shout").upper() + "!" * int(call.keyword(context, "times", 1))

def reversed_terms(terms, keywords, call, context):
    return [term[::-1] for term in terms]

FUNCTIONS = table(Function("shout", shout, standalone=True, keywords=("times",)), Function("quietly", shout))
LOOKUPS = {"reversed": reversed_terms}
"""


@pytest.mark.parametrize("name", sorted(name for names in MODULES.values() for name in names))
def test_a_function_is_found_by_its_name(name: str) -> None:
    function = find_function(name)
    assert function is not None
    assert function.name == name
    assert is_standalone(name) == function.standalone


def test_no_function_of_a_module_is_missing_in_the_table() -> None:
    listed = {name for names in MODULES.values() for name in names}
    modules = (
        import_module(f"{functions.__name__}.{entry.name}") for entry in iter_modules(functions.__path__)
    )
    defined = {name for module in modules for name in getattr(module, "FUNCTIONS", ())}
    assert defined == listed


def test_names_that_are_no_functions() -> None:
    assert find_function("nosuch") is None
    assert not is_standalone("nosuch")
    assert not is_standalone(3)
    assert hint_for(["zzzzzz", "conct"]) == "did you mean 'concat'?"
    assert hint_for(["zzzzzz"]) is None


@pytest.fixture
def plugin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "toy_functions.py").write_text(PLUGIN, encoding="utf-8")
    install(monkeypatch, tmp_path, "[sabir.functions]\ntoy = toy_functions\n")
    return tmp_path


@pytest.mark.usefixtures("plugin")
def test_plugins_add_functions_and_lookups() -> None:
    box = PlainResource("box", {"a": 1})
    assert evaluate({"shout": "hi", "times": 2}, box).value == "HI!!"
    assert map_value({"shout": "hi"}, box) == "HI!"
    assert map_value({"quietly": "hi"}, box) == {"quietly": "hi"}
    assert map_value({"eval": {"quietly": "hi"}}, box) == "HI!"
    assert evaluate({"lookup": {"reversed": "abc"}}, box).value == "cba"
    assert {"shout", "concat"} < set(function_names())


def test_plugins_of_another_path_are_not_seen(plugin: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert find_function("shout") is not None
    monkeypatch.undo()
    assert str(plugin) not in sys.path
    assert find_function("shout") is None


@pytest.mark.parametrize(
    ("module", "message"),
    [
        (PLUGIN.replace('"quietly"', '"concat"'), "the expression function 'concat' is registered twice"),
        ("nonsense", "cannot be loaded: NameError"),
    ],
)
def test_plugins_that_do_not_fit(
    module: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    name = f"toy_bad_{len(module)}"
    (tmp_path / f"{name}.py").write_text(module, encoding="utf-8")
    install(monkeypatch, tmp_path, f"[sabir.functions]\nbad = {name}\n")
    with pytest.raises(PluginError, match=message):
        load_plugins()


def test_a_lookup_that_is_not_there() -> None:
    with pytest.raises(QueryError, match="there is no lookup 'envv'") as caught:
        evaluate({"lookup": {"envv": "X"}}, PlainResource("box"))
    assert caught.value.finding.hint == "did you mean 'env'?"
    with pytest.raises(QueryError) as caught:
        evaluate({"lookup": {"zzzzzz": "X"}}, PlainResource("box"))
    hint = caught.value.finding.hint or ""
    assert hint.startswith("there are env, file, url, unfurl; a plug-in can add others")
