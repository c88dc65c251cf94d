"""Functions by name, without running the Python that defines them."""

from __future__ import annotations

import pytest

from sabir.diagnostics.finding import Severity
from sabir.languages.inmanta.check import InmantaValidator
from sabir.languages.inmanta.evaluate.model import evaluate_package
from sabir.languages.inmanta.model.functions import function_names, modules_with_plugins
from sabir.languages.inmanta.syntax.project import load_project
from sabir.session import Session, Trust
from sabir.source.packages import MemoryPackage


@pytest.mark.parametrize(
    ("python", "names"),
    [
        ("@plugin\ndef f(): ...\n", {"m::f"}),
        ('@plugin("g")\ndef f(): ...\n', {"m::g"}),
        ("@plugins.plugin(allow_unknown=True)\ndef f(): ...\n", {"m::f"}),
        ("def f(): ...\nraise SystemExit\n", set[str]()),
        ("@plugin\ndef f(x):\n    newer syntax\n", {"m::f"}),
        ("@plugin\nasync def f(x):\n    newer syntax\n", {"m::f"}),
        ("from inmanta.plugins import plugin as p\n@p\ndef f(): ...\n", {"m::f"}),
        ("def f(): ...\nplugin(f)\n", {"m::f"}),
        ('def f(): ...\nplugin("g")(f)\n', {"m::g"}),
        ('@plugin(function="g")\ndef f(): ...\n', {"m::g"}),
    ],
)
def test_plugins_are_read_from_their_text(python: str, names: set[str]) -> None:
    files = {
        "main.cf": "import m\n",
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "",
        "libs/m/plugins/__init__.py": python,
    }
    project = load_project(MemoryPackage(files))
    assert {name for name in function_names(project) if not name.startswith("std::")} == names
    assert [module.name for module in modules_with_plugins(project)] == (["m"] if names else [])


def test_the_functions_of_std_are_those_that_run() -> None:
    from sabir.languages.inmanta.library.std.plugins import REGISTRY

    names = function_names(load_project(MemoryPackage({"main.cf": ""})))
    assert {*names} == {f"std::{plugin.name}" for plugin in REGISTRY.plugins}


FILES = {
    "main.cf": "import m\n",
    "libs/m/module.yml": "name: m\n",
    "libs/m/model/_init.cf": "",
    "libs/m/model/foo.cf": "own = inside()\nouter = init()\n",
    "libs/m/model/sub/_init.cf": "",
    "libs/m/model/sub/bar.cf": "",
    "libs/m/plugins/__init__.py": "{head}def init() -> str:\n    return 'init'\n",
    "libs/m/plugins/foo.py": "{head}def inside() -> str:\n    return 'foo'\n",
    "libs/m/plugins/alone.py": "{head}def alone() -> str:\n    return 'alone'\n",
    "libs/m/plugins/sub/__init__.py": "{head}def inside() -> str:\n    return 'sub'\n",
    "libs/m/plugins/sub/bar.py": "{head}def inside() -> str:\n    return 'bar'\n",
}
HEAD = "from inmanta.plugins import plugin\n@plugin\n"


def package(main: str, **files: str) -> MemoryPackage:
    texts = {**FILES, **files, "main.cf": main}
    return MemoryPackage({name: text.replace("{head}", HEAD) for name, text in texts.items()})


@pytest.mark.parametrize(
    ("main", "value"),
    [
        ("import m\nx = m::init()\n", "init"),
        ("import m::foo\nx = m::foo::inside()\n", "foo"),
        ("import m::foo as f\nx = f::inside()\n", "foo"),
        ("import m::foo\nx = m::foo::own\n", "foo"),
        ("import m::foo\nx = m::foo::outer\n", "init"),
        ("import m::sub\nx = m::sub::inside()\n", "sub"),
        ("import m::sub::bar\nx = m::sub::bar::inside()\n", "bar"),
        ("import m\nx = m::alone()\n", "alone"),  # an error in Inmanta: docs/inmanta/differences.md
        ("import m\nx = m::foo::inside()\n", None),
        ("import m::foo\nx = m::foo::init()\n", None),
        ("import m\nx = m::nosuch()\n", None),
    ],
)
def test_check_and_evaluation_agree_on_the_names_of_functions(main: str, value: str | None) -> None:
    """The names are those of Inmanta 18, but for the one that is marked."""
    evaluated = evaluate_package(package(main), session=Session(trust=Trust(python=True)))
    untrusted = evaluate_package(package(main), session=Session())
    checked = InmantaValidator(package(main)).run()
    codes = [finding.code for finding in checked if finding.severity is Severity.ERROR]
    if value is None:
        assert [finding.code for finding in evaluated.findings] == ["INM:E003"]
        assert [finding.code for finding in untrusted.findings] == ["INM:E003"]
        assert codes == ["INM:E003"]
    else:
        assert evaluated.findings == []
        assert evaluated.variables()["x"] == value
        assert "INM:E003" not in [finding.code for finding in untrusted.findings]
        assert codes == []


@pytest.mark.parametrize("name", ["A.py", "zoo.py"])
def test_a_function_in_the_namespace_comes_before_those_of_other_files(name: str) -> None:
    """`m::init` is that of `__init__.py`, whichever file is loaded first."""
    files = {
        f"libs/m/plugins/{name}": "{head}def init() -> str:\n    return 'other'\n",
        "libs/m/plugins/__init__.py": f"from . import {name[:-3]}\n" + FILES["libs/m/plugins/__init__.py"],
    }
    model = evaluate_package(
        package("import m\nx = m::init()\n", **files), session=Session(trust=Trust(python=True))
    )
    assert model.findings == []
    assert model.variables()["x"] == "init"


def test_an_implementation_may_share_its_name_with_a_function_of_another_file() -> None:
    text = "entity E:\nend\nimplementation alone for E:\nend\nimplement E using alone\n"
    model = evaluate_package(
        package("import m\n", **{"libs/m/model/_init.cf": text}), session=Session(trust=Trust(python=True))
    )
    assert model.findings == []


def test_types_are_those_of_the_namespace_of_the_file() -> None:
    files = {
        "libs/m/model/foo.cf": "entity Port:\n    int number\nend\nimplement Port using std::none\n",
        "libs/m/plugins/foo.py": '{head}def number(port: "Port") -> int:\n    return port.number\n',
    }
    main = "import m::foo\nx = m::foo::number(m::foo::Port(number=5))\n"
    model = evaluate_package(package(main, **files), session=Session(trust=Trust(python=True)))
    assert model.findings == []
    assert model.variables()["x"] == 5


@pytest.mark.parametrize(
    "python",
    [
        "NAME = 'made'\n@plugin(NAME)\ndef f() -> str:\n    return 'x'\n",
        "def wrapped(f):\n    return plugin(f)\n@wrapped\ndef made() -> str:\n    return 'x'\n",
        "for name in ('made',):\n    def f() -> str:\n        return 'x'\n    plugin(name)(f)\n",
        "ours = plugin\n@ours\ndef made() -> str:\n    return 'x'\n",
    ],
)
def test_functions_with_computed_names_are_no_errors(python: str) -> None:
    files = {"libs/m/plugins/__init__.py": "from inmanta.plugins import plugin\n" + python}
    project = package("import m\nx = m::made()\n", **files)
    model = evaluate_package(project, session=Session(trust=Trust(python=True)))
    assert model.findings == []
    assert model.variables()["x"] == "x"
    untrusted = [finding.code for finding in evaluate_package(project, session=Session()).findings]
    assert untrusted == ["INM:E023"]
    checked = InmantaValidator(project).run()
    assert [finding for finding in checked if finding.severity is Severity.ERROR] == []


@pytest.mark.parametrize("folder", ["files", "model", "templates"])
def test_python_among_the_data_of_an_installed_module_is_not_run(folder: str) -> None:
    files = {
        "main.cf": "import m\n",
        "libs/m/setup.cfg": "",
        "libs/m/model/_init.cf": "",
        "libs/m/inmanta_plugins/m/__init__.py": "",
        f"libs/m/inmanta_plugins/m/{folder}/script.py": "raise SystemExit(3)\n",
    }
    assert evaluate_package(MemoryPackage(files), session=Session(trust=Trust(python=True))).findings == []
