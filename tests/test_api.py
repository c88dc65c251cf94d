"""The front door: what `import sabir` offers, that it answers, and that it costs nothing until it is used."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

import sabir
from sabir.errors import DeployError, FindingError, InputError, UsageError

EXAMPLES = Path(__file__).parents[1] / "examples"
SHOP = EXAMPLES / "shop"
PUBLIC = [
    *(
        "Finding",
        "Graph",
        "Instance",
        "Session",
        "__version__",
        "call",
        "check",
        "compile",
        "compile_many",
        "deploy",
        "destroy",
    ),
    *("diff", "history", "impact", "load", "plan", "query", "render", "run", "status", "why"),
]


def test_what_is_public() -> None:
    assert sabir.__all__ == PUBLIC
    assert {*PUBLIC} <= {*dir(sabir)}
    for name in PUBLIC:
        assert getattr(sabir, name) is not None
    with pytest.raises(AttributeError, match="no attribute 'undo'"):
        sabir.undo  # noqa: B018


def test_functions_stay_functions_whatever_was_imported_before() -> None:
    """No module of ours has the name of a public function, so that neither can hide the other."""
    script = (
        "import pkgutil, sabir\n"
        "modules = {module.name for module in pkgutil.iter_modules(sabir.__path__)}\n"
        "print(*sorted(modules & set(sabir.__all__)))"
    )
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


def test_importing_it_loads_nothing() -> None:
    script = "import sys, sabir; print(*(name for name in sys.modules if name.startswith('sabir')))"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["sabir"]


def test_load() -> None:
    package = sabir.load(EXAMPLES / "murano" / "hello")
    assert package.exists("manifest.yaml")


@pytest.mark.rows("V-003")
def test_load_validates_when_asked() -> None:
    broken = EXAMPLES / "murano" / "broken"
    with pytest.raises(FindingError) as failure:
        sabir.load(broken, validate=True)
    assert failure.value.findings
    assert all(isinstance(finding, sabir.Finding) for finding in failure.value.findings)
    assert sabir.load(broken).exists("manifest.yaml")


def test_check() -> None:
    broken = EXAMPLES / "murano" / "broken"
    codes = {finding.code for _, finding in sabir.check(broken).findings()}
    assert len(codes) > 1
    chosen = min(codes)
    assert {finding.code for _, finding in sabir.check(broken, select=chosen).findings()} == {chosen}
    with pytest.raises(InputError, match="no such path"):
        sabir.check("nowhere")
    with pytest.raises(UsageError, match="did you mean 'select'"):
        sabir.check(broken, selct="E")


def test_compile_query_why() -> None:
    compiled = sabir.compile(SHOP, provenance=True)
    assert isinstance(compiled.graph, sabir.Graph)
    assert compiled.findings == ()
    assert sabir.query(compiled.graph, "::*::[.name=mysql]::url") == sabir.query(
        SHOP, "::*::[.name=mysql]::url"
    )
    from_graph = sabir.why(compiled.graph, "mysql.url")
    from_path = sabir.why(SHOP, "mysql.url")
    assert [step.location for step in from_graph.steps] == [step.location for step in from_path.steps]
    assert len(from_path.steps) > 1


def test_impact_and_diff() -> None:
    port = next(step.location for step in sabir.why(SHOP, "mysql.url").steps if step.location)
    assert sabir.impact(SHOP, f"{port.file}:{port.line}").affected
    assert not sabir.diff(SHOP, SHOP).diff
    assert sabir.diff(SHOP, overrides={"database/mysql.backup": "no"}).diff


def test_render() -> None:
    rendered = sabir.render(EXAMPLES / "ccp" / "shop", "kubernetes")
    assert rendered.findings == ()
    assert any(name.endswith(".yaml") for name in rendered.files)


def test_run(tmp_path: Path) -> None:
    (tmp_path / "Classes").mkdir()
    (tmp_path / "manifest.yaml").write_text(
        "Format: MuranoPL/1.4\nType: Application\nFullName: demo.Adder\nClasses: {demo.Adder: Adder.yaml}\n"
    )
    (tmp_path / "Classes" / "Adder.yaml").write_text(
        "Name: demo.Adder\nMethods:\n  add:\n    Scope: Public\n    Arguments:\n      - left: {Contract: $.int()}\n"
        "      - right: {Contract: $.int()}\n    Body:\n      - Return: $left + $right\n"
    )
    model = tmp_path / "model.yaml"
    model.write_text("Objects:\n  '?': {type: demo.Adder, id: adder}\n")
    result = sabir.run(tmp_path, "adder.add", {"left": 2, "right": 3}, model=model)
    assert result.findings == ()
    assert result.result == 5


def test_deploying(tmp_path: Path) -> None:
    (tmp_path / "resources.yaml").write_text(
        "sabir: resources/1\nresources:\n  motd: {kind: file, fields: {path: motd, content: hello}}\n"
    )
    planned = sabir.plan(tmp_path)
    assert planned.plan is not None
    assert [step.action.value for step in planned.plan.steps] == ["create"]
    done = sabir.deploy(tmp_path)
    assert done.result is not None
    assert done.result.state.value == "done"
    assert (tmp_path / ".sabir/world/motd").read_text() == "hello"
    assert not sabir.status(tmp_path).has_drifted
    assert [deployment.verb for deployment in sabir.history(tmp_path)] == ["deploy"]
    with pytest.raises(UsageError, match="there is no operation"):
        sabir.call(tmp_path, "motd.restart")
    with pytest.raises(DeployError, match="give allow_delete = 1"):
        sabir.destroy(tmp_path)
    sabir.destroy(tmp_path, allow_delete=-1)
    assert not (tmp_path / ".sabir/world/motd").exists()
