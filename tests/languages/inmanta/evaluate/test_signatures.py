"""What the annotations of plug-ins mean; each row was seen to end the same way with release 18 of the existing compiler."""

from __future__ import annotations

import sys

import pytest

from sabir.languages.inmanta.evaluate.model import EvaluatedModel, evaluate_package
from sabir.session import Session, Trust
from sabir.source.packages import MemoryPackage

HEAD = """
import dataclasses, numbers
from collections.abc import Iterable, Mapping, Sequence
from typing import Annotated, Any, NewType, Optional, TypeVar, Union
from inmanta.plugins import Context, ModelType, plugin
from inmanta.references import Reference, reference

T = TypeVar("T")
UserId = NewType("UserId", str)
Small = Annotated[Any, ModelType["m::small"]]

@dataclasses.dataclass(frozen=True)
class Loose:
    a: int

@reference("m::Ref")
class Ref(Reference[str]):
    def __init__(self, name: str) -> None:
        super().__init__()
        self.name = name

@plugin
def ref() -> Reference[str]:
    return Ref("x")
"""
MODEL = """
entity E:
end
implement E using std::none
typedef small as int matching self < 2
"""


def run(main: str, python: str, head: str = HEAD) -> EvaluatedModel:
    files = {
        "main.cf": "import m\n" + main,
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": MODEL,
        "libs/m/plugins/__init__.py": head + python,
    }
    return evaluate_package(MemoryPackage(files), session=Session(trust=Trust(python=True)))


@pytest.mark.parametrize(
    ("parameter", "fits", "refused"),
    [
        ("a: str = None", '"x"', "null"),
        ("a: str | None = None", "null", "1"),
        ("a: float", "1.5", "1"),
        ("a: numbers.Number", "1", '"x"'),
        ("a: dict[str, int]", '{"a": 1}', '{"a": "b"}'),
        ("a: Mapping[str, list[str]]", '{"a": ["b"]}', '{"a": "b"}'),
        ("a: Sequence[int]", "[1]", '["a"]'),
        ("a: Iterable[str]", "1", None),
        ("a: list[T]", '[1, "a"]', "1"),
        ("*a: list[str]", '["x"], ["y"]', '["x"], "y"'),
        ("**a: int", "x=1", 'x="1"'),
        ("a: Small", "1", "2"),
        ("a: Annotated[int, 'anything']", "1", '"x"'),
        ("a: Union[int, str]", '"x"', "1.5"),
        ('a: "m::E"', "m::E()", '"x"'),
        ("a: str, context: Context", '"x"', '"x", "y"'),
        ("a: str", '"x"', "m::ref()"),
        ("a: list[str]", '["x"]', "[m::ref()]"),
        ("a: Any", "1", "m::ref()"),
        ("a: Reference[str]", "m::ref()", '"x"'),
        ("a: str | Reference[str]", "m::ref()", "1"),
        ("a: None", "null", "1"),
        ("a: type(None)", "null", "1"),
        ("a: Optional[int]", "null", '"x"'),
        ("a: None | list[str]", "null", "1"),
        ("a: dict[str, None]", '{"a": null}', '{"a": 1}'),
        ("a: object", "1", None),
    ],
)
def test_what_fits(parameter: str, fits: str, refused: str | None) -> None:
    python = f"\n@plugin\ndef f({parameter}) -> Any:\n    return 1\n"
    assert [finding.message for finding in run(f"x = m::f({fits})\n", python).findings] == []
    if refused is not None:
        (finding,) = run(f"x = m::f({refused})\n", python).findings
        assert (finding.code in ("INM:E010", "INM:E020"), finding.location.line) == (True, 2)


@pytest.mark.parametrize(
    ("parameter", "said"),
    [
        ("a", "'a' has no annotation"),
        ("*a", "'a' has no annotation"),
        ("a: 5", "5 is no type"),
        ("a: T", "~T is no type"),
        ("a: Union", "say of what"),
        ("a: UserId", "is no type"),
        ("a: set[str]", "there are no sets"),
        ("a: dict[int, str]", "the keys of a dict are strings"),
        ("a: Loose", "no entity stands for the data class Loose"),
        ('a: "std::WrongName"', "there is no type 'std::WrongName'"),
        ('a: "str"', "there is no type 'str'"),
    ],
)
def test_what_says_nothing_is_an_error_where_it_stands(parameter: str, said: str) -> None:
    """Also when nobody calls it."""
    (finding,) = run("", f"\n@plugin\ndef f({parameter}) -> Any:\n    return 1\n").findings
    assert finding.code == "INM:E021"
    assert said in finding.message
    assert finding.place.source.line_text(finding.location.line).startswith("def f(")


@pytest.mark.parametrize("head", [HEAD, "from __future__ import annotations\n" + HEAD], ids=["", "text"])
@pytest.mark.parametrize(
    ("returns", "fits", "refused"),
    [
        ("None", "None", "1"),
        ("type(None)", "None", "1"),
        ("Optional[int]", "None", "'x'"),
        ("int | None", "1", "'x'"),
        ("str", "'x'", "None"),
        ("list[None]", "[None]", "[1]"),
        ("dict[str, int | None]", "{'a': None}", "{'a': 'b'}"),
        ("Any", "None", None),
        ("object", "None", None),
    ],
)
def test_return_annotations(head: str, returns: str, fits: str, refused: str | None) -> None:
    plugin = f"\n@plugin\ndef f() -> {returns}:\n    return "
    assert [finding.message for finding in run("x = m::f()\n", f"{plugin}{fits}\n", head).findings] == []
    if refused is not None:
        (finding,) = run("x = m::f()\n", f"{plugin}{refused}\n", head).findings
        assert (finding.code, finding.location.line) == ("INM:E010", 2)


@pytest.mark.skipif(sys.version_info < (3, 12), reason="'type' statements exist since Python 3.12")
@pytest.mark.parametrize(
    ("alias", "fits", "refused"),
    [
        ("int", "1", '"x"'),
        ("None", "null", "1"),
        ("str | None", "null", "1"),
        ("list[Port]", "[1]", "[3]"),
    ],
)
def test_type_aliases(alias: str, fits: str, refused: str) -> None:
    python = f"""
type Port = Annotated[int, ModelType["m::small"]]
type Name = {alias}
@plugin
def f(a: Name) -> Name:
    return a
"""
    assert [finding.message for finding in run(f"x = m::f({fits})\n", python).findings] == []
    (finding,) = run(f"x = m::f({refused})\n", python).findings
    assert finding.location.line == 2


def test_annotations_that_are_kept_as_text_are_types_of_python() -> None:
    python = "\n@plugin\ndef f(a: int | None) -> list[str]:\n    return [str(a)]\n"
    model = run("x = m::f(null)\n", python, "from __future__ import annotations\n" + HEAD)
    assert model.variables()["x"] == ["None"]


@pytest.mark.parametrize("kind", ['"m::E"', '"m::E[]"', "int", "dict[str, int]"])
def test_what_is_not_known_yet_fits_everywhere_and_the_call_waits(kind: str) -> None:
    python = f"""
from inmanta.execute.util import Unknown

@plugin
def unknown() -> Any:
    return Unknown(source="nobody")

@plugin
def f(a: {kind}) -> str:
    raise RuntimeError("it is not called")
"""
    assert not run("x = m::f(m::unknown())\n", python).findings


def test_a_plug_in_and_an_implementation_share_their_names() -> None:
    files = {
        "main.cf": "import m\n",
        "libs/m/module.yml": "name: m\n",
        "libs/m/model/_init.cf": "entity E:\nend\nimplementation f for E:\nend\nimplement E using f\n",
        "libs/m/plugins/__init__.py": "from inmanta.plugins import plugin\n\n@plugin\ndef f() -> int:\n    return 1\n",
    }
    model = evaluate_package(MemoryPackage(files), session=Session(trust=Trust(python=True)))
    (finding,) = model.findings
    assert finding.code == "INM:E004"
    assert "'m::f'" in finding.message
