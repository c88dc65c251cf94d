"""The page as a file; `tests/browser` looks at it in a browser."""

import json
import re
import time
from base64 import b64encode
from hashlib import sha256
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings

from sabir.diagnostics.finding import Finding
from sabir.graph import Graph, How, Instance, Origin, Record, Ref, Sensitive, Value
from sabir.graph.views.html import PageContent, html_view
from sabir.text import Location, Place, Source, Span
from tests.graph.strategies import graphs
from tests.graph.views.html.pages import HOSTILE, SECRET, sections, services, shop


def page(graph: Graph, content: PageContent | None = None) -> bytes:
    return b"".join(html_view(graph, content))


class Tags(HTMLParser):
    """What a browser would make of a page: its elements, and what the scripts have in them."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: list[str] = []
        self.in_script = False
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))
        self.in_script = tag == "script" and not attrs

    def handle_endtag(self, tag: str) -> None:
        self.in_script = False

    def handle_data(self, data: str) -> None:
        if self.in_script:
            self.scripts.append(data)


def test_nothing_comes_from_elsewhere_and_only_our_script_may_run() -> None:
    text = page(shop()).decode()
    tags = Tags(text)
    assert not [
        tag for tag, attributes in tags.elements if "src" in attributes or tag in ("link", "iframe", "img")
    ]
    assert [attributes.get("href") for tag, attributes in tags.elements if tag == "a"] == ["#"]
    policy = next(one["content"] for tag, one in tags.elements if "http-equiv" in one)
    assert policy is not None
    digest = b64encode(sha256("".join(tags.scripts).encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert not re.search(r"https?://", text)


def hostile() -> Graph:
    origin = Origin(Location(HOSTILE, 3, 1), How.LITERAL, (), HOSTILE)
    words: dict[str, Value] = {HOSTILE: [HOSTILE, {HOSTILE: Ref(HOSTILE)}], "gone": Ref(HOSTILE + "!")}
    return Graph(
        [
            Instance(
                id=HOSTILE,
                type=HOSTILE,
                language=HOSTILE,
                name=HOSTILE,
                attributes=Record.of(words),
                relations=Record.of({HOSTILE: (HOSTILE, "missing" + HOSTILE)}),
                requires=(HOSTILE,),
                status=HOSTILE,
                origin=origin,
                origins=Record.of({HOSTILE: origin}),
            )
        ],
        outputs={HOSTILE: HOSTILE},
        output_origins={HOSTILE: origin},
    )


def test_hostile_words_stay_words() -> None:
    source = Source(HOSTILE, HOSTILE * 2)
    finding = Finding(code="TOY:E001", message=HOSTILE, place=Place(source, Span(0, 2)), hint=HOSTILE)
    content = PageContent(title=HOSTILE, findings=[finding], read_line=lambda *_: HOSTILE)
    harmless = Tags(page(shop()).decode())
    text = page(hostile(), content).decode()
    tags = Tags(text)
    assert [tag for tag, _ in tags.elements] == [tag for tag, _ in harmless.elements]
    assert tags.scripts == harmless.scripts
    assert sections(text.encode())["block-0"]["rows"][0][0] == HOSTILE


def test_secrets_are_not_in_the_file() -> None:
    source = Source("main.cf", f"x = {SECRET!r}\n")
    finding = Finding(
        code="TOY:E001",
        message=f"bad {SECRET}",
        place=Place(source, Span(0, 1)),
        hint=f"not {SECRET}",
    )
    data = sections(page(shop(), PageContent(findings=[finding])))
    text = json.dumps(data)
    assert SECRET not in text
    assert "first(back.cidr)" not in text  # the line has the password in it, too
    assert "token = secret()" not in text  # the line that made it
    assert "10.1.0.0/24" in text
    assert '"db://\\" + orders.address' in text


@pytest.mark.parametrize(
    ("value", "shown"),
    [
        (1.0, {"n": "1.0"}),
        (2**60, {"n": str(2**60)}),
        (-(2**53), {"n": str(-(2**53))}),
        (7, 7),
        (True, True),
        (b"abc", {"n": "(3 bytes)"}),
        (Sensitive([1]), {"s": 1}),
        ({"a": [None, Ref("x"), Ref("nowhere")]}, {"m": [["a", [None, {"r": 0}, {"r": "nowhere"}]]]}),
        ("\ud800", "\ufffd"),
    ],
)
def test_values(value: Value, shown: object) -> None:
    graph = Graph([Instance(id="x", type="T", language="toy", name="x", attributes=Record.of({"a": value}))])
    assert sections(page(graph))["block-0"]["rows"][0][2] == [["a", shown, -1]]


def test_large_values_are_cut_and_say_so() -> None:
    deep: Value = 1
    for _ in range(3000):
        deep = [deep]
    values: dict[str, Value] = {
        "long": "x" * 100_000,
        "wide": [[1] * 100] * 100_000,
        "deep": deep,
        "int": 7**99_999,
    }
    graph = Graph([Instance(id="x", type="T", language="toy", name="x", attributes=Record.of(values))])
    text = page(graph)
    assert len(text) < 400_000
    assert b"80000 more characters" in text
    assert b'{"c":' in text


@settings(max_examples=60)
@given(graphs())
def test_any_graph_has_a_page(graph: Graph) -> None:
    text = page(graph)
    assert text == page(graph)
    data = sections(text)
    assert len(data["index"]["names"]) == len(graph)
    assert len(data["picture"]["parents"]) == len(graph) + len(data["picture"]["groups"]["names"])
    assert len(data["block-0"]["rows"]) == len(graph)


def test_findings_know_the_instances_of_their_line() -> None:
    graph = shop()
    place = graph["shop"].origins["url"].place
    assert isinstance(place, Place)
    finding = Finding(code="TOY:W001", message="careful", place=place)
    (shown,) = sections(page(graph, PageContent(findings=[finding])))["findings"]["shown"]
    assert shown["instances"] == [2]
    assert shown["at"] == "main.cf:4:1"
    assert shown["source"].startswith("Service(")


def test_provenance_in_circles_and_in_tangles_ends() -> None:
    bottom = Origin(Location("a", 1, 1), How.LITERAL)
    for _ in range(200):
        bottom = Origin(Location("a", 1, 1), How.EXPRESSION, (bottom, bottom))
    graph = Graph([Instance(id="x", type="T", language="toy", name="x", origin=bottom)])
    assert len(sections(page(graph))["block-0"]["origins"]) == 201


@pytest.mark.slow
def test_a_hundred_thousand_instances() -> None:
    graph = services(100_000)
    start = time.perf_counter()
    text = page(graph)
    assert time.perf_counter() - start < 40  # alone some 8 seconds
    assert len(text) < 6_000_000
    data = sections(text)
    assert len(data["picture"]["parents"]) > 100_000
    assert sum(len(data[name]["rows"]) for name in data if name.startswith("block-")) == 100_000


def test_five_thousand_instances_are_a_small_page() -> None:
    graph = services(5000)
    start = time.process_time()
    text = page(graph)
    assert time.process_time() - start < 2
    assert len(text) < 2_000_000
