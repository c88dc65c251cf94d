"""The page of the service in a real browser: what a person does, and the rules of accessibility on every view."""

from __future__ import annotations

import io
import json
import os
import socket
import subprocess
import sys
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.chromium import Chromium, find_chromium

pytestmark = pytest.mark.slow

EXAMPLES = Path(__file__).parents[2] / "examples"
AXE = Path(__file__).parents[1] / "browser" / "node_modules/axe-core/axe.min.js"
PROGRAM = find_chromium()


class Running:
    """A service of its own process, and somebody with all rights."""

    def __init__(self, folder: Path) -> None:
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]
        words = [sys.executable, "-m", "sabir", "serve", str(folder), "--port", str(self.port)]
        self.folder = folder
        self.process = subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ})
        assert self.process.stderr is not None
        self.token = self.process.stderr.readline().split()[-1]
        self.url = f"http://127.0.0.1:{self.port}"

    def content(self, path: str) -> bytes:
        """What the service answers, byte for byte."""
        headers = {"Authorization": f"Bearer {self.token}"}
        with urllib.request.urlopen(
            urllib.request.Request(f"{self.url}/api/1{path}", headers=headers)
        ) as answer:
            return bytes(answer.read())

    def ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        headers = {"Authorization": f"Bearer {self.token}", "Content-Type": "application/json"}
        request = urllib.request.Request(f"{self.url}/api/1{path}", method=method, data=body, headers=headers)
        until = time.monotonic() + 30
        while True:
            try:
                with urllib.request.urlopen(request) as answer:
                    return json.loads(answer.read() or b"null")
            except ConnectionError:
                assert time.monotonic() < until
            except urllib.error.URLError as error:
                if not isinstance(error.reason, ConnectionError) or time.monotonic() > until:
                    raise
            time.sleep(0.05)

    def close(self) -> None:
        self.process.terminate()
        self.process.communicate(timeout=30)


def _packed(folder: Path) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder))
    return buffer.getvalue()


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    running = Running(tmp_path_factory.mktemp("data"))
    try:
        running.ask("POST", "/packages", _packed(EXAMPLES / "murano" / "hello"))
        shop = running.ask("POST", "/environments", b'{"name": "shop"}')
        running.ask("PUT", f"/environments/{shop['id']}/files", _packed(EXAMPLES / "shop"))
        yield running
    finally:
        running.close()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    if PROGRAM is None:
        pytest.skip("no Chromium here, so the page of the service is not tested")
    with Chromium(PROGRAM, tmp_path_factory.mktemp("profile")) as started:
        yield started


def _sign_in(browser: Chromium, service: Running) -> None:
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=service.url)
    browser.wait("document.querySelector('#main h1') !== null")
    if browser.text("h1") == "Sign in":
        browser.run("document.querySelector('#token').focus()")
        browser.type(service.token)
        browser.click_on("button", having="Sign in")
    browser.wait("document.querySelector('#main h1')?.innerText === 'Catalogue'")


def _go(browser: Chromium, hash_: str, ready: str) -> None:
    browser.run(f"location.hash = {json.dumps(hash_)}")
    browser.wait(f"document.getElementById('main').dataset.shown === {json.dumps(hash_)}")
    browser.wait(f"document.querySelector({json.dumps(ready)}) !== null")


def test_from_the_catalogue_through_the_form_to_an_environment(browser: Chromium, service: Running) -> None:
    _sign_in(browser, service)
    browser.wait("document.querySelector('.card a') !== null")
    browser.click_on(".card a", having="Greeter")
    browser.wait("document.querySelector('form fieldset') !== null")
    browser.run("document.querySelector('form').requestSubmit()")
    browser.wait("document.querySelector('.field .error-text:not(:empty)') !== null")
    assert browser.run("document.activeElement.id") == "appConfiguration.name"
    browser.type("Greeter")
    browser.run("document.querySelector('form').requestSubmit()")
    browser.wait("document.querySelector('pre') !== null")
    assert '"org.example.hello.Greeter"' in browser.text("pre")
    browser.click_on("button", having="Create the environment")
    browser.wait("document.querySelector('iframe') !== null")
    browser.wait("document.querySelector('iframe').contentWindow.sabir !== undefined")
    assert browser.text("h1") == "Greeter"


def test_the_graph_opens_in_the_viewer(browser: Chromium, service: Running) -> None:
    _sign_in(browser, service)
    _go(browser, "#/environments", ".card a")
    browser.click_on(".card a", having="shop")
    browser.wait("document.querySelector('iframe')?.contentWindow.sabir !== undefined")
    names = browser.run(
        "document.querySelector('iframe').contentWindow.sabir.then(() =>"
        " document.querySelector('iframe').contentDocument.querySelector('#outline').innerText)"
    )
    assert "network" in names


@pytest.mark.skipif(not AXE.exists(), reason="axe-core is not here: npm install --prefix tests/browser")
@pytest.mark.parametrize("size", [(1400, 900), (390, 844)], ids=["screen", "phone"])
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_findings_of_accessibility(
    browser: Chromium, service: Running, dark: bool, size: tuple[int, int]
) -> None:
    browser.size(*size)
    _sign_in(browser, service)
    browser.run(f"document.documentElement.dataset.theme = {json.dumps('dark' if dark else 'light')}")
    package = service.ask("GET", "/packages")["packages"][0]["id"]
    shop = next(each["id"] for each in service.ask("GET", "/environments") if each["name"] == "shop")
    views = {
        "#/catalogue": ".card",
        f"#/packages/{package}": "form fieldset",
        "#/environments": ".card",
        f"#/environments/{shop}/files": "textarea",
        **{
            f"#/environments/{shop}/{tab}": "[role=tabpanel] > *"
            for tab in ("picture", "plan", "deploy", "call", "history", "drift", "settings")
        },
    }
    for hash_, ready in views.items():
        _go(browser, hash_, ready)
        browser.run(AXE.read_text(encoding="utf-8") + "; null")
        findings = browser.run(
            "axe.run(document).then(({violations}) => violations.map(({id, nodes}) =>"
            " `${id}: ${nodes.map((node) => node.target.join(' ') + ' ' + node.failureSummary).join('; ')}`))"
        )
        assert findings == [], hash_


def test_a_plan_is_shown_deployed_live_and_remembered(browser: Chromium, service: Running) -> None:
    browser.size(1400, 900)
    made = service.ask("POST", "/environments", b'{"name": "motd"}')
    described = (
        "name: motd\nparts:\n  files:\n    language: resources\n    model:\n      resources:\n"
        "        motd: {kind: file, fields: {path: motd, content: hello}}\n"
    )
    service.ask("PUT", f"/environments/{made['id']}/files/sabir.yaml", described.encode())
    _sign_in(browser, service)
    where = f"#/environments/{made['id']}"
    _go(browser, f"{where}/plan", ".steps li")
    assert "files/motd" in browser.text(".steps")
    browser.wait("document.querySelector('iframe')?.contentWindow.sabir !== undefined")
    _go(browser, f"{where}/deploy", "button.main")
    browser.click_on("button.main", having="Deploy")
    browser.wait("document.querySelector('.steps li[data-state=done]') !== null")
    browser.wait("document.querySelector('.note.good') !== null")
    _go(browser, f"{where}/history", "tbody tr")
    assert "deploy" in browser.text("tbody tr")
    browser.click_on("td button")
    browser.wait("document.querySelector('[aria-label=Steps]') !== null")
    assert "create file" in browser.text("[aria-label=Steps]")
    (motd,) = (service.folder / "environments" / made["id"]).rglob("world/motd")
    motd.write_text("changed by hand")
    _go(browser, f"{where}/drift", "tbody tr")
    assert '"changed by hand"' in browser.text("tbody tr")
    browser.click_on("button.main", having="Put them right")
    browser.wait("document.querySelector('#panel').innerText.includes('None of 1')")
    assert motd.read_text() == "hello"


DESCRIBED = b"name: files\nparts:\n  a: {language: resources, model: {resources: {}}}\n"
SHOWN = "document.querySelector('#path')?.value"
SAVED = "document.querySelector('.note.good')?.innerText.includes('is saved')"


def _environment(service: Running, name: str, files: dict[str, bytes]) -> str:
    made = service.ask("POST", "/environments", json.dumps({"name": name}).encode())
    for path, content in {"sabir.yaml": DESCRIBED, **files}.items():
        service.ask("PUT", f"/environments/{made['id']}/files/{path}", content)
    return str(made["id"])


def _open_file(browser: Chromium, id_: str, name: str) -> None:
    _go(browser, f"#/environments/{id_}", "iframe, .note")
    _go(browser, f"#/environments/{id_}/files", "[aria-label=Files] button")
    browser.wait(f"{SHOWN} === 'sabir.yaml'")
    browser.click_on("[aria-label=Files] button", having=name)
    browser.wait(f"document.getElementById('said').textContent === {json.dumps(name + ' is open')}")


def test_a_binary_file_is_downloaded_and_replaced_but_not_edited(
    browser: Chromium, service: Running, tmp_path: Path
) -> None:
    packed = _packed(EXAMPLES / "murano" / "hello")
    id_ = _environment(service, "binary", {"package.zip": packed})
    _sign_in(browser, service)
    _open_file(browser, id_, "package.zip")
    assert browser.text("#closed").startswith("package.zip is a binary file")
    assert browser.run(
        "[document.querySelector('#text').hidden, document.querySelector('button.main').disabled]"
    ) == [
        True,
        True,
    ]
    fetched = browser.run(
        "fetch(document.querySelector('a[download]').href).then((a) => a.arrayBuffer())"
        ".then((b) => [...new Uint8Array(b)])"
    )
    assert bytes(fetched) == packed
    assert browser.run("document.querySelector('a[download]').download") == "package.zip"
    # What is typed under the name of a binary file does not replace it either.
    browser.click_on("[aria-label=Files] button", having="sabir.yaml")
    browser.wait("document.querySelector('#text').value.startsWith('name: files')")
    browser.run("document.querySelector('#path').value = 'package.zip'")
    browser.click_on("button.main", having="Save")
    browser.wait("document.querySelector('.note.error') !== null")
    assert "binary file" in browser.text(".note.error")
    assert service.content(f"/environments/{id_}/files/package.zip") == packed
    other = tmp_path / "other.zip"
    other.write_bytes(b"PK\0\xff")
    browser.click_on("[aria-label=Files] button", having="package.zip")
    browser.wait("document.querySelector('#closed') !== null")
    document = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=document, selector="#upload")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[str(other)])
    browser.wait("document.querySelector('.note.good')?.innerText.includes('is uploaded')")
    assert service.content(f"/environments/{id_}/files/package.zip") == b"PK\0\xff"


@pytest.mark.parametrize(
    ("content", "edit", "after"),
    [
        pytest.param(b"one\r\ntwo\r\n", None, b"one\r\ntwo\r\n", id="crlf-unchanged"),
        pytest.param(b"one\r\ntwo\r\n", ("two", "2\nthree"), b"one\r\n2\r\nthree\r\n", id="crlf"),
        pytest.param(b"\xef\xbb\xbfone\ntwo\n", ("two", "2"), b"\xef\xbb\xbfone\n2\n", id="byte-order-mark"),
        pytest.param(
            b"\xef\xbb\xbf\xef\xbb\xbfone", ("one", "1"), b"\xef\xbb\xbf\xef\xbb\xbf1", id="two-marks"
        ),
        pytest.param(b"one\ntwo", ("one", "1"), b"1\ntwo", id="no-final-newline"),
        pytest.param(b"a\r\nb\nc\rd\r\n", ("b", "B"), b"a\r\nB\nc\rd\r\n", id="mixed"),
        pytest.param(b"a\rb\rc", ("b", "B\nB"), b"a\rB\rB\rc", id="cr"),
        pytest.param(b"a\r\nb\r\n", ("b\n", "b"), b"a\r\nb", id="final-newline-removed"),
        pytest.param(b"", ("", "a\nb\n"), b"a\nb\n", id="empty"),
        pytest.param(
            "größe\u2028\x0c\r\nx\n".encode(), ("x", "y"), "größe\u2028\x0c\r\ny\n".encode(), id="other"
        ),
    ],
)
def test_an_edit_changes_only_what_is_edited(
    browser: Chromium,
    service: Running,
    content: bytes,
    edit: tuple[str, str] | None,
    after: bytes,
    request: pytest.FixtureRequest,
) -> None:
    id_ = _environment(service, f"edit-{request.node.callspec.id}", {"notes.txt": content})
    _sign_in(browser, service)
    _open_file(browser, id_, "notes.txt")
    if edit is not None:
        old, new = map(json.dumps, edit)
        browser.run(
            f"const t = document.querySelector('#text'); t.value = t.value.replace({old}, {new}); null"
        )
    browser.click_on("button.main", having="Save")
    browser.wait(SAVED)
    assert service.content(f"/environments/{id_}/files/notes.txt") == after


def test_a_file_that_is_too_large_for_the_editor_is_offered_as_download(
    browser: Chromium, service: Running
) -> None:
    id_ = _environment(service, "large", {"large.txt": b"x" * 1_100_000})
    _sign_in(browser, service)
    _open_file(browser, id_, "large.txt")
    assert browser.text("#closed").startswith("large.txt is too large for the editor (1.1 MB)")
    assert browser.run(
        "document.querySelector('#text').hidden && !document.querySelector('a[download]').hidden"
    )


def test_a_reader_sees_the_plan_but_no_file_contents(browser: Chromium, service: Running) -> None:
    id_ = _environment(service, "read", {"model.json": b'{"password": "canary-6120"}'})
    described = DESCRIBED.replace(b"{}", b"{f: {kind: file, fields: {path: f, content: hello}}}")
    service.ask("PUT", f"/environments/{id_}/files/sabir.yaml", described)
    token = service.ask("POST", "/tokens", b'{"name": "reader", "role": "reader"}')["token"]
    browser.call("Page.navigate", url="about:blank")
    browser.call("Network.clearBrowserCookies")
    browser.call("Page.navigate", url=f"{service.url}/#/token/{token}")
    browser.wait("document.querySelector('#main h1')?.innerText === 'Catalogue'")
    try:
        _open_file(browser, id_, "model.json")
        assert browser.text("#closed").startswith("Only those who may deploy")
        assert browser.run(
            "document.querySelector('#text').hidden && document.querySelector('a[download]').hidden"
        )
        _go(browser, f"#/environments/{id_}/plan", ".steps li")
        assert browser.run("document.querySelector('iframe')") is None
        assert "canary" not in browser.run("document.documentElement.outerHTML")
    finally:
        browser.call("Network.clearBrowserCookies")


def test_what_is_deployed_can_be_called(browser: Chromium, service: Running) -> None:
    """With leave that an administrator gives on the page, and a form of the arguments of a public method."""
    _sign_in(browser, service)
    browser.run("window.confirm = () => true")
    package = service.ask("GET", "/packages")["packages"][0]["id"]
    _go(browser, f"#/packages/{package}", "form fieldset")
    browser.run("document.getElementById('appConfiguration.name').focus()")
    browser.type("Ann")
    browser.key("Enter")
    browser.wait("document.getElementById('environment') !== null")
    browser.run("document.getElementById('environment').value = 'callable'")
    browser.click_on("button", having="Create the environment")
    browser.wait("/^#.environments.[0-9a-f]+$/.test(location.hash)")
    where = browser.run("location.hash")
    _go(browser, f"{where}/plan", ".note.error a, .note.error + p a")
    assert browser.text(".note.error").startswith("model.json:1:1: DEP:E005")
    _go(browser, f"{where}/settings", "#leave-scripts")
    browser.click_on("#leave-scripts")
    browser.click_on("button.main")
    browser.wait("document.querySelector('.note.good') !== null")
    _go(browser, f"{where}/deploy", "button.main")
    browser.click_on("button.main")
    browser.wait("document.querySelector('.note.good') !== null")
    _go(browser, f"{where}/call", ".card input")
    browser.run("document.querySelector('.card input').focus()")
    browser.type("Bob")
    browser.key("Enter")
    browser.wait("document.querySelector('[aria-label=Results]') !== null")
    assert "Hello, Bob, from Ann!" in browser.text("[aria-label=Results]")


def test_an_address_with_a_token_signs_in_and_forgets_it(browser: Chromium, service: Running) -> None:
    browser.call("Page.navigate", url="about:blank")
    browser.call("Network.clearBrowserCookies")
    browser.call("Page.navigate", url=f"{service.url}/#/token/{service.token}")
    browser.wait("document.querySelector('#main h1')?.innerText === 'Catalogue'")
    assert browser.run("location.hash") == "#/catalogue"
    browser.call("Network.clearBrowserCookies")
    browser.call("Page.navigate", url="about:blank")
    browser.call("Page.navigate", url=f"{service.url}/#/token/wrong")
    browser.wait("document.querySelector('#main h1')?.innerText === 'Sign in'")
    assert "not known" in browser.text(".note.error")


def test_the_keyboard_alone(browser: Chromium, service: Running) -> None:
    """Tab to the tabs, the arrows and End move among them, and the focus stays there."""
    _sign_in(browser, service)
    shop = next(each["id"] for each in service.ask("GET", "/environments") if each["name"] == "shop")
    _go(browser, f"#/environments/{shop}/files", "textarea")
    for _ in range(30):
        if browser.run("document.activeElement.getAttribute('role')") == "tab":
            break
        browser.key("Tab")
    for key, tab in (
        ("ArrowRight", "plan"),
        ("ArrowLeft", "files"),
        ("End", "settings"),
        ("Home", "picture"),
    ):
        browser.key(key)
        browser.wait(f"document.getElementById('main').dataset.shown?.endsWith('/{tab}')")
        browser.wait(f"document.activeElement.id === 'tab-{tab}'")
