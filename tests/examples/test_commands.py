"""Every command on every shipped example."""

from __future__ import annotations

from pathlib import Path

import pytest

from sabir.cli.main import COMMANDS, main
from tests.docs.pages import ROOT

FORMATS = ("json", "yaml", "text", "dot", "mermaid", "svg", "html")
CCP = ("kubernetes", "start-order", "dependencies", "configuration", "mermaid", "dot", "svg")

# What is asked of each example: a value, an expression, a line, another value, its renderers.
EXAMPLES = {
    "murano/hello": ("greeter.port", "::greeter::port", "model.yaml:2", None, ("objectmodel",)),
    "inmanta/web": ("web-1.url", "::web-1::url", "main.cf:41", "left.ip=10.1.0.99", ("inmanta-resources",)),
    "ccp/shop": ("orders.name", "::*::.name", "service/orders.yaml:4", None, CCP),
    "shop": (
        "web/shop-web/web.env",
        "::database::mysql::url",
        "network/main.cf:36",
        "database/mysql.address=10.9.9.9",
        ("kubernetes",),
    ),
    "shop/database/service-template.yaml": (None, "::mysql::.name", None, None, ()),
    "graphs/shop.json": (
        "shop.database_url",
        "::shop::url",
        "shop/service/shop.yaml:5",
        None,
        (),
    ),
}
NEED_INPUTS = {
    "shop/database/service-template.yaml": ["--input", "subnet=10.1.0.0/24", "--input", "address=10.1.0.9"]
}


def commands() -> list[tuple[str, list[str]]]:
    asked: list[tuple[str, list[str]]] = []
    for example, (value, expression, line, change, renderers) in EXAMPLES.items():
        more = NEED_INPUTS.get(example, [])
        if not example.startswith("graphs"):
            asked.append((example, ["check", "{}"]))
        asked += [(example, ["compile", "{}", "--format", form, "-q", *more]) for form in FORMATS]
        asked += [(example, ["query", "{}", expression, "-q", *more])]
        asked += [(example, ["why", "{}", value, "-q", *more])] if value else []
        asked += [(example, ["impact", "{}", line, "-q", *more])] if line else []
        asked += [(example, ["diff", "{}", "{}", "-q", *more])]
        asked += [(example, ["diff", "{}", "--set", change, "-q"])] if change else []
        asked += [(example, ["render", "{}", "--to", name, "-q", "-o", "{out}/"]) for name in renderers]
    asked.append(("murano/hello", ["run", "{}"]))
    return asked


@pytest.mark.parametrize(
    ("example", "words"), [pytest.param(*asked, id=" ".join([asked[0], *asked[1]])) for asked in commands()]
)
def test_it_ends_well(
    example: str, words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = str(ROOT / "examples" / example)
    status = main([path if word == "{}" else word.replace("{out}", str(tmp_path)) for word in words])
    shown = capsys.readouterr()
    assert status == 0, shown.err


@pytest.mark.parametrize("command", ["check", "compile", "render"])
def test_the_broken_example_is_refused(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(ROOT / "examples/murano/broken")]) == 1
    assert "Greeter.yaml:6:10" in "".join(capsys.readouterr())


def test_no_example_is_forgotten() -> None:
    there = {path.parent.relative_to(ROOT / "examples").as_posix() for path in ROOT.glob("examples/*/*/*")}
    roots = {folder for folder in there if "plugin" not in folder and not folder.startswith("shop")}
    assert roots <= {
        *EXAMPLES,
        "murano/broken",
        "murano/shop",
        "tosca/guestbook",
    }  # the last two have tests of their own


def test_no_command_is_forgotten() -> None:
    tried = {words[0] for _, words in commands()}
    assert {"check", "compile", "query", "why", "impact", "diff", "render", "run"} <= tried & {*COMMANDS}
