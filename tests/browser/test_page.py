"""The page in a real browser: what is seen, pressed and typed. Left out, with a line that says so, where there is none."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sabir.diagnostics.finding import Finding
from sabir.graph import Graph, How, Instance, Origin, Record
from sabir.graph.views.html import PageContent, html_view
from sabir.text import Location, Place
from tests.browser.chromium import Chromium, find_chromium
from tests.graph.views.html.pages import HOSTILE, SECRET, readers, services, shop

pytestmark = pytest.mark.slow

PROGRAM = find_chromium()
Shows = Callable[[Graph], Path]


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if PROGRAM is None:
        pytest.skip("no Chromium here, so the page is not tested in a browser (SABIR_BROWSER names one)")
    with Chromium(PROGRAM, tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.fixture(scope="module")
def shop_page(tmp_path_factory: pytest.TempPathFactory) -> Path:
    graph = shop()
    place = graph["shop"].origins["url"].place
    assert isinstance(place, Place)
    findings = [Finding(code="TOY:W001", message="mind the step", place=place, hint="walk slowly")]
    return written(tmp_path_factory.mktemp("page") / "shop.html", graph, findings)


def written(file: Path, graph: Graph, findings: list[Finding] | None = None) -> Path:
    file.write_bytes(b"".join(html_view(graph, PageContent(title="the shop", findings=findings or []))))
    return file


@pytest.fixture
def page(browser: Chromium, shop_page: Path) -> Iterator[Chromium]:
    """The page of the shop; whatever is done with it, nothing may complain and nothing be fetched."""
    browser.size(1400, 900)
    browser.look()
    browser.open(shop_page)
    yield browser
    assert browser.complaints == []
    assert browser.requests == [shop_page.as_uri()]


def where(page: Chromium, id_: str) -> dict[str, float]:
    found = page.run(f"sabir.then((s) => s.where({json.dumps(id_)}))")
    assert isinstance(found, dict)
    return found


def view(page: Chromium) -> dict[str, float]:
    found = page.run("new Promise(requestAnimationFrame).then(() => sabir).then((s) => s.view())")
    assert isinstance(found, dict)
    return found


def press(page: Chromium, id_: str) -> None:
    spot = where(page, id_)
    page.click(spot["x"] + 12, spot["y"] + 10)


def test_a_click_shows_everything_about_an_instance(page: Chromium) -> None:
    assert "4 instances" in page.text("#panel")
    press(page, "orders")
    page.wait("document.querySelector('#panel h2').innerText === 'orders'")
    panel = page.text("#panel")
    for words in ("org.example.PostgreSql", "muranopl", "5432", "10.1.0.1", "<<REDACTED>>", "main.cf:2:1"):
        assert words in panel
    assert "POINTED AT BY 2" in panel
    assert SECRET not in page.run("document.documentElement.outerHTML")
    assert page.run("location.hash") == "#orders"


def test_relations_and_crumbs_lead_on(page: Chromium) -> None:
    press(page, "orders")
    page.wait("document.querySelector('#panel h2').innerText === 'orders'")
    page.click_on("#panel .link", having="web")
    page.wait("document.querySelector('#panel h2').innerText === 'web'")
    page.click_on("#panel .crumbs .link", having="shop")
    page.wait("document.querySelector('#panel h2').innerText === 'shop'")
    assert "status: active" in page.text("#panel")
    assert "mind the step" in page.text("#panel .finding")
    page.key("Escape")
    page.wait("document.querySelector('#panel h2').innerText === '4 instances'")
    assert page.run("location.hash") == ""
    assert "mind the step" in page.text("#panel .finding")


def test_the_why_chain_goes_to_the_bottom(page: Chromium) -> None:
    press(page, "shop")
    page.wait("document.querySelector('#panel h2').innerText === 'shop'")
    page.click_on("#panel .why-button", having="why?")
    page.wait("document.querySelector('#panel').innerText.includes('back.cidr')")
    chain = page.text("#panel .fact")
    steps = [
        "template line main.cf:4:1",
        "Service(name=",
        "literal main.cf:5:1",
        "orders.address = ",
        "back.cidr",
        "10.1.0.0/24",
    ]
    assert [step for step in steps if step not in chain] == []
    assert [chain.index(step) for step in steps] == sorted(chain.index(step) for step in steps)
    page.click_on("#panel .why-button", having="why?")
    assert "back.cidr" not in page.text("#panel .fact")


def test_search_by_name_type_and_value(page: Chromium) -> None:
    page.key("/")
    assert page.run("document.activeElement.id") == "query"
    page.type("PORT=543")
    page.wait("document.querySelector('#found').innerText === '1 found'")
    page.key("Enter")
    page.wait("document.querySelector('#panel h2').innerText === 'orders'")
    page.run("document.querySelector('#query').select()")
    page.type("or")
    page.wait("document.querySelector('#found').innerText === '2 found'")
    assert "2 MATCHES" in page.run("document.querySelector('#outline').textContent.toUpperCase()")
    steps = [
        ("1 of 2", "orders", False),
        ("2 of 2", "back", False),
        ("1 of 2", "orders", False),
        ("2 of 2", "back", True),
    ]
    for found, name, shift in steps:  # names come before types, and after the last comes the first
        page.key("Enter", shift=shift)
        page.wait(f"document.querySelector('#panel h2').innerText === '{name}'")
        assert page.text("#found") == found
    page.run("document.querySelector('#query').select()")
    page.type(SECRET)
    page.wait("document.querySelector('#found').innerText === 'no match'")
    page.key("Escape")
    page.wait("document.querySelector('#found').innerText === ''")
    assert page.run("document.activeElement.id") == "canvas"


def test_wheel_drag_touch_and_keys_move_the_picture(page: Chromium) -> None:
    first = view(page)
    spot = where(page, "orders")
    page.mouse("mouseWheel", spot["x"], spot["y"], deltaX=0, deltaY=-300)
    zoomed = view(page)
    assert zoomed["zoom"] > first["zoom"] * 1.3
    held = where(page, "orders")
    assert (
        abs(held["x"] - spot["x"]) < 1 > abs(held["y"] - spot["y"])
    )  # what is under the pointer stays there
    page.mouse("mousePressed", 300, 700, button="left", clickCount=1)
    page.mouse("mouseMoved", 340, 720, button="left", buttons=1)
    page.mouse("mouseMoved", 380, 740, button="left", buttons=1)
    page.mouse("mouseReleased", 380, 740, button="left", clickCount=1)
    dragged = where(page, "orders")
    assert (round(dragged["x"] - held["x"]), round(dragged["y"] - held["y"])) == (80, 40)
    assert page.text("#panel h2") == "4 instances"  # a drag is no click
    page.touch("touchStart", [(400, 400), (500, 400)])
    page.touch("touchMove", [(350, 400), (550, 400)])
    page.touch("touchEnd", [])
    assert view(page)["zoom"] > zoomed["zoom"] * 1.5
    page.run("document.querySelector('#canvas').focus()")
    before = view(page)
    page.key("ArrowRight")
    page.key("-")
    after = view(page)
    assert after["zoom"] < before["zoom"]
    page.click_on("#zoom-in")
    assert view(page)["zoom"] > after["zoom"]
    page.click_on("#fit")
    assert view(page) == pytest.approx(first)


def test_owners_fold_and_open(page: Chromium) -> None:
    page.click_on("#zoom-in")
    spot = where(page, "shop")
    assert where(page, "shop/web")["drawn"]
    page.click(spot["x"] + spot["width"] - 16 * view(page)["zoom"], spot["y"] + 16 * view(page)["zoom"])
    folded = view(page)
    assert not where(page, "shop/web")["drawn"]
    assert page.text("#panel h2") == "4 instances"
    page.click_on("#fold-all")  # all are folded: it opens them
    assert view(page)["boxes"] == folded["boxes"] + 1
    page.click_on("#fold-all")
    assert view(page)["boxes"] == folded["boxes"]
    page.run("sabir.then((s) => s.select('shop/web'))")  # who goes to a part sees it
    assert view(page)["boxes"] == folded["boxes"] + 1


def test_the_legend_hides_languages(page: Chromium) -> None:
    page.click_on("#legend button", having="inmanta")
    view(page)
    assert not where(page, "net/back")["drawn"]
    assert page.run("document.querySelector('#legend button').getAttribute('aria-pressed')") == "false"
    page.click_on("#legend button", having="inmanta")
    view(page)
    assert where(page, "net/back")["drawn"]


def test_the_outline_is_a_tree_for_the_keyboard(page: Chromium) -> None:
    page.key("o")
    page.run("document.querySelector('#outline [tabindex=\"0\"]').focus()")
    for key in ("ArrowDown", "ArrowDown", "ArrowRight", "ArrowDown", "Enter"):
        page.key(key)
    page.wait("document.querySelector('#panel h2').innerText === 'web'")
    assert page.run("document.activeElement.getAttribute('aria-label')") == "web, container"
    assert page.run("document.activeElement.getAttribute('aria-selected')") == "true"
    page.key("ArrowLeft")
    page.key("ArrowLeft")
    assert page.run("document.activeElement.getAttribute('aria-expanded')") == "false"
    page.run("document.querySelector('#canvas').focus()")
    page.key("ArrowRight", shift=True)
    page.wait("document.querySelector('#panel h2').innerText === 'orders'")


def test_everything_that_can_be_pressed_has_a_name(page: Chromium) -> None:
    press(page, "shop")
    page.wait("document.querySelector('#panel h2').innerText === 'shop'")
    nodes = page.call("Accessibility.getFullAXTree")["nodes"]
    pressable = [
        node
        for node in nodes
        if node.get("role", {}).get("value") in ("button", "searchbox", "treeitem", "application", "link")
        and not node.get("ignored")
    ]
    assert len(pressable) > 15
    assert [node for node in pressable if not node.get("name", {}).get("value")] == []


@pytest.mark.parametrize("fragment", ["#net%2Fback", "#net/back"])
def test_an_address_names_an_instance(browser: Chromium, shop_page: Path, fragment: str) -> None:
    browser.open(shop_page, fragment)
    browser.wait("document.querySelector('#panel h2')?.innerText === 'back'")
    browser.run("location.hash = '#shop%2Fweb'")
    browser.wait("document.querySelector('#panel h2').innerText === 'web'")
    browser.open(shop_page, "#%zz")
    browser.wait("document.querySelector('#panel h2')?.innerText === '4 instances'")
    assert browser.complaints == []


def test_light_dark_and_paper(page: Chromium) -> None:
    def ground() -> str:
        return str(page.run("getComputedStyle(document.body).backgroundColor"))

    light = ground()
    page.look(dark=True)
    page.wait("document.documentElement.dataset.theme === 'dark'")
    assert ground() != light
    page.click_on("#theme")
    assert ground() == light
    assert page.pdf().startswith(b"%PDF")
    page.look(media="print")
    assert page.run("getComputedStyle(document.querySelector('header')).display") == "none"
    page.look()


def test_hostile_words_are_shown_as_words(browser: Chromium, tmp_path: Path) -> None:
    origin = Origin(
        Location(HOSTILE, 3, 1), How.LITERAL, (Origin(Location(HOSTILE, 4, 1), How.DEFAULT, (), HOSTILE),)
    )
    hostile = Instance(
        id=HOSTILE,
        type=HOSTILE,
        language=HOSTILE,
        name=HOSTILE,
        attributes=Record.of({HOSTILE: [HOSTILE, {HOSTILE: HOSTILE}]}),
        relations=Record.of({HOSTILE: (HOSTILE, "javascript:alert(1)")}),
        status=HOSTILE,
        origin=origin,
        origins=Record.of({HOSTILE: origin}),
    )
    file = written(tmp_path / "hostile.html", Graph([hostile], outputs={HOSTILE: HOSTILE}))
    browser.open(file)
    browser.run(f"sabir.then((s) => s.select({json.dumps(HOSTILE)}))")
    browser.click_on("#panel .why-button", having="why?")
    browser.run("document.querySelector('#query').focus()")
    browser.type("onerror")
    browser.wait("document.querySelector('#found').innerText === '1 found'")
    assert browser.text("#panel h2").startswith("</script><img src=x onerror=alert(1)>")
    assert browser.run("document.querySelectorAll('img, iframe, object').length") == 0
    assert browser.complaints == []
    assert browser.requests == [file.as_uri()]


@pytest.mark.parametrize("count", [3, 300])
def test_the_flow_of_values(browser: Chromium, tmp_path: Path, count: int) -> None:
    browser.open(written(tmp_path / "flows.html", readers(count)))
    pressed = "document.querySelector('#flows').getAttribute('aria-pressed')"
    shown = browser.run(pressed)
    browser.run("sabir.then((s) => s.select('r1'))")
    browser.wait("document.querySelector('#panel h2').innerText === 'reader-1'")
    panel = browser.text("#panel")
    assert "VALUES COME FROM\nreader-0" in panel
    assert "VALUES GO TO 1\nreader-2" in panel
    canvas = "document.querySelector('#canvas').toDataURL()"
    before = browser.run(canvas)
    browser.key("Escape")
    browser.key("v")
    assert browser.run(pressed) != shown
    view(browser)
    assert browser.run(canvas) != before
    assert browser.complaints == []


def test_five_thousand_instances_stay_quick(browser: Chromium, tmp_path: Path) -> None:
    browser.open(written(tmp_path / "large.html", services(5000)))
    assert "15 boxes of 5,000 instances" in browser.text("#note")
    opened = browser.run("performance.now()")
    assert opened < 4000  # milliseconds since the page began to load, on a busy machine; alone 200
    frames = browser.run(
        "(async () => { const canvas = document.querySelector('#canvas'); const start = performance.now();"
        "for (let n = 0; n < 10; n += 1) { canvas.dispatchEvent(new WheelEvent('wheel', {deltaY: n % 2 ? -90 : 80}));"
        "await new Promise(requestAnimationFrame); } return (performance.now() - start) / 10; })()"
    )
    assert frames < 400  # milliseconds on a busy machine without a graphics card
    browser.run("document.querySelector('#query').focus()")
    browser.type("port=5999")
    browser.wait("document.querySelector('#found').innerText === '1 found'")
    browser.key("Enter")
    browser.wait("document.querySelector('#panel h2').innerText === 'part-1249-3'")
    view(browser)
    assert where(browser, "s1249.3")["drawn"]  # what it lies in was opened
    assert browser.complaints == []


def test_a_stack_opens_where_it_is_pressed(browser: Chromium, tmp_path: Path) -> None:
    browser.size(1400, 900)
    browser.look()
    browser.open(written(tmp_path / "stack.html", services(500)))
    before = view(browser)["boxes"]
    group = where(browser, "s0")  # the group that it is folded into
    browser.click(group["x"] + 12, group["y"] + 10)
    opened = view(browser)
    assert opened["boxes"] > before
    assert where(browser, "s0")["drawn"]
    assert f"{before} boxes" not in browser.text("#note")
    browser.click_on("#fold-all")
    assert view(browser)["boxes"] == before


def test_back_goes_to_the_instance_before(page: Chromium) -> None:
    for name, title in (("orders", "orders"), ("shop", "shop")):
        press(page, name)
        page.wait(f"document.querySelector('#panel h2').innerText === '{title}'")
    page.run("history.back()")
    page.wait("document.querySelector('#panel h2').innerText === 'orders'")
    page.run("history.back()")
    page.wait("document.querySelector('#panel h2').innerText === '4 instances'")
    page.run("history.forward()")
    page.wait("document.querySelector('#panel h2').innerText === 'orders'")


def test_long_names_are_whole_while_there_is_room(browser: Chromium, tmp_path: Path) -> None:
    name = "the-database-of-the-orders-of-the-shop"
    graph = Graph([Instance(id="a", type="T", language="toy", name=name)])
    browser.open(written(tmp_path / "long.html", graph))
    spot, zoom = where(browser, "a"), view(browser)["zoom"]
    room = browser.run(
        "(() => { const c = document.createElement('canvas').getContext('2d');"
        f"c.font = '600 12px sans-serif'; return c.measureText('{name}').width; }})()"
    )
    assert spot["width"] / zoom > room * 0.9


def test_a_long_chain_is_no_thread(browser: Chromium, tmp_path: Path) -> None:
    chain = [
        Instance(
            id=f"c{n}",
            type="Link",
            language="toy",
            name=f"link-{n}",
            relations=Record.of({"next": (f"c{n + 1}",)} if n < 29 else {}),
        )
        for n in range(30)
    ]
    browser.size(1400, 900)
    browser.open(written(tmp_path / "chain.html", Graph(chain)))
    spots = [where(browser, f"c{n}") for n in range(30)]
    width = max(spot["x"] + spot["width"] for spot in spots) - min(spot["x"] for spot in spots)
    height = max(spot["y"] + spot["height"] for spot in spots) - min(spot["y"] for spot in spots)
    assert width / height < 3
    assert view(browser)["zoom"] > 0.5  # so that the names can be read


def test_a_phone(browser: Chromium, shop_page: Path) -> None:
    browser.size(390, 844)
    browser.open(shop_page)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert "Keys" not in browser.text("#panel")
    for id_ in ("orders", "net/back"):
        spot = where(browser, id_)
        assert 0 <= spot["x"] <= 390 - spot["width"]
    browser.size(1400, 900)


def test_an_empty_graph(browser: Chromium, tmp_path: Path) -> None:
    browser.open(written(tmp_path / "empty.html", Graph([])))
    assert browser.text("#panel h2") == "0 instances"
    assert browser.text("#note") == "The graph is empty"
    assert browser.complaints == []
