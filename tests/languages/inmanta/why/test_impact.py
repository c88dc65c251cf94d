"""Impact reaches what is rendered: the resources of a model, and those of a part of an environment."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sabir.languages.language import EvaluationRequest
from sabir.operations.evaluation import evaluate_path
from sabir.operations.impact import ImpactRequest, impact_path
from sabir.operations.render import RenderPathRequest, render_path
from tests.support.files import change_line, write_files

FILES = {
    "project.yml": "name: p\nmodulepath: libs\n",
    "libs/conf/module.yml": "name: conf\nversion: 1.0\nlicense: x\n",
    "libs/conf/model/_init.cf": 'motd = "hello"\n',
    "libs/conf/templates/a.j2": "port {{ port }}\n{% if debug %}\ndebug\n{% endif %}\nstatic {{ conf.motd }}\n",
    "main.cf": """import conf
port = 80
debug = true
owner = "web"
host = std::Host(name="vm1", os=std::linux)
package = std::Package(host=host, name="web", state="installed")
f = std::ConfigFile(host=host, path="/etc/web.conf", content=std::template("conf/a.j2"), owner=owner)
f.requires += package
if port > 79:
    std::Service(host=host, name="web", state="running", onboot=true, requires=f)
end
""",
}
CHANGES = {
    "a variable": ("main.cf", 2, "80", "81"),
    "a flag of the template": ("main.cf", 3, "true", "false"),
    "an attribute": ("main.cf", 4, '"web"', '"www"'),
    "a state": ("main.cf", 6, '"installed"', '"latest"'),
    "a service": ("main.cf", 10, "onboot=true", "onboot=false"),
    "a line of the template": ("libs/conf/templates/a.j2", 3, "debug", "trace"),
    "the last line of the template": ("libs/conf/templates/a.j2", 5, "static", "fixed"),
    "a variable of a module": ("libs/conf/model/_init.cf", 1, "hello", "bye"),
}


@pytest.fixture
def model(tmp_path: Path) -> Path:
    return write_files(tmp_path / "model", FILES)


def resources(path: Path) -> dict[str, dict[str, Any]]:
    rendered = render_path(RenderPathRequest(path=path, to="inmanta-resources"))
    assert not rendered.failed
    (text,) = rendered.files.values()
    return {one["id"].removesuffix(",v=0"): one for one in json.loads(text)}


@pytest.mark.parametrize("name", CHANGES)
def test_fields_that_change_are_named_and_no_others(name: str, model: Path) -> None:
    file, line, old, new = CHANGES[name]
    impact = impact_path(ImpactRequest(path=model, line=f"{file}:{line}"))
    before = resources(model)
    change_line(model / file, line, old, new)
    after = resources(model)
    changed = {
        (id_, field)
        for id_, one in before.items()
        for field, value in one.items()
        if field != "version" and after.get(id_, {}).get(field) != value
    }
    assert changed
    named = {(one.name, field) for one in impact.rendered for field in one.fields}
    assert changed <= named
    if name not in (
        "a variable",
        "a state",
        "a service",
    ):  # these lines decide that something is there at all
        assert changed == named


def test_a_part_of_an_environment(model: Path) -> None:
    (model.parent / "sabir.yaml").write_text("parts:\n  net: {language: inmanta, path: model}\n")
    impact = impact_path(ImpactRequest(path=model.parent, line="model/libs/conf/templates/a.j2:5"))
    assert [(one.name, one.fields, one.through.instance) for one in impact.rendered] == [
        (
            "std::ConfigFile[vm1,path=/etc/web.conf]",
            ("hash",),
            "net/std::ConfigFile/vm1,/etc/web.conf",
        )
    ]


def test_nothing_is_rendered_unless_asked(model: Path) -> None:
    assert list(evaluate_path(model, EvaluationRequest()).evaluation.rendered()) == []
