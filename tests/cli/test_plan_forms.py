"""Plans as documents and pages, and drift that is told."""

from __future__ import annotations

import json
import shutil
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from importlib.resources import files
from pathlib import Path

import pytest

from sabir.cli.main import main

ENVIRONMENT = """
name: demo
targets:
  m: {driver: local, root: world}
parts:
  a:
    language: resources
    model:
      resources:
        etc: {kind: directory, target: m, fields: {path: etc}}
        motd: {kind: file, target: m, fields: {path: etc/motd, content: hello}, requires: [etc]}
        port: {kind: command, target: m, results: [n], fields: {run: 'echo n=1 > $SABIR_OUTPUTS'}, reacts_to: [motd]}
        url: {kind: file, target: m, fields: {path: url, content: {eval: {concat: ["x", {eval: '::port::n'}]}}}}
        raw: {kind: file, target: m, fields: {path: raw, content: {eval: '::port::n'}}}
        gone: {kind: file, target: m, fields: {path: gone, content: {sensitive: canary-1}}}
"""
TRUST = ("--trust", "scripts")


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("SABIR_KEY", raising=False)
    (tmp_path / "world").mkdir()
    Path("sabir.yaml").write_text(ENVIRONMENT)


def plans(capsys: pytest.CaptureFixture[str]) -> list[str]:
    """Of everything that there is to say in a plan."""
    shown: list[str] = []
    assert main(["plan", ".", "--format", "json", *TRUST]) == 3
    shown.append(capsys.readouterr().out)
    assert main(["deploy", ".", "--yes", "--quiet", *TRUST]) == 0
    text = ENVIRONMENT.replace("hello", "bye").replace("path: raw", "path: cooked")
    Path("sabir.yaml").write_text(text[: text.index("        gone:")])
    capsys.readouterr()
    assert main(["plan", ".", "--format", "json", *TRUST]) == 3
    shown.append(capsys.readouterr().out)
    assert main(["plan", ".", "--destroy", "--format", "json", *TRUST]) == 3
    shown.append(capsys.readouterr().out)
    return shown


def test_every_plan_is_valid_by_its_schema(capsys: pytest.CaptureFixture[str]) -> None:
    jsonschema_rs = pytest.importorskip("jsonschema_rs")
    schema = json.loads((files("sabir.schemas") / "plan-1.schema.json").read_bytes())
    for text in plans(capsys):
        jsonschema_rs.validate(schema, json.loads(text))


def test_a_plan_that_was_changed_by_hand_is_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", ".", "-o", "kept.plan", *TRUST]) == 3
    text = Path("kept.plan").read_text()
    Path("kept.plan").write_text(text.replace("it is new", "it is old"))
    assert main(["deploy", ".", "kept.plan", *TRUST]) == 1
    assert "was changed after it was made" in capsys.readouterr().err
    Path("kept.plan").write_text(text)
    assert main(["deploy", ".", "kept.plan", *TRUST]) == 0


def test_a_plan_as_a_page() -> None:
    assert main(["plan", ".", "--format", "html", "-o", "plan.html", *TRUST]) == 3
    page = Path("plan.html").read_text()
    assert "plan of" in page
    assert "create a/motd" in page
    assert "canary" not in page


def test_the_audit_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["deploy", ".", "--yes", "--quiet", *TRUST]) == 0
    capsys.readouterr()
    assert main(["history", ".", "--format", "json"]) == 0
    audit = json.loads(capsys.readouterr().out)["deployments"][0]["audit"]
    assert {"who", "sabir", "path", "plan", "digest"} <= audit.keys()
    assert main(["history", ".", "--at", "1"]) == 0
    assert f"digest {audit['digest']}" in capsys.readouterr().out


def test_drift_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    posted: list[bytes] = []

    class Listener(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            posted.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_words: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Listener)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/drift"
    assert main(["deploy", ".", "--yes", "--quiet", *TRUST]) == 0
    assert main(["status", ".", "--notify", url, *TRUST]) == 0
    assert posted == []
    Path("world/etc/motd").write_text("theirs")
    assert main(["status", ".", "--quiet", "--notify", url, *TRUST]) == 3
    assert main(["status", ".", "--quiet", "--notify", "cat > told.json", *TRUST]) == 3
    assert posted == [Path("told.json").read_bytes()]
    states = {each["address"]: each["state"] for each in json.loads(posted[0])["resources"]}
    assert states["a/motd"] == "drifted"
    assert main(["status", ".", "--quiet", "--notify", "exit 7", *TRUST]) == 3
    assert "ended with status 7" in capsys.readouterr().err
    server.shutdown()
    server.server_close()


def test_markdown_for_a_review(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", ".", "--format", "markdown", *TRUST]) == 3
    shown = capsys.readouterr().out
    assert shown.startswith("**4 to create, 1 to run; 1 not foreseeable yet**\n")
    assert "- `+` `a/motd` (`file`): `it is new` — `sabir.yaml:11`" in shown
    assert "canary" not in shown


def test_a_revision_against_the_state_that_is_here(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    git = ["git", "-c", "user.email=me@example.org", "-c", "user.name=me", "-c", "commit.gpgsign=false"]
    for words in (["init", "-q"], ["add", "sabir.yaml"], ["commit", "-q", "-m", "x"]):
        subprocess.run([*git, *words], check=True, cwd=tmp_path)
    Path("sabir.yaml").write_text(ENVIRONMENT.replace("hello", "bye"))
    assert main(["deploy", ".", "--yes", "--quiet", *TRUST]) == 0
    capsys.readouterr()
    assert main(["plan", ".", *TRUST]) == 0
    for path in ("git:HEAD", "git:HEAD:sabir.yaml"):
        capsys.readouterr()
        assert main(["plan", path, *TRUST]) == 3
        assert "content: bye → hello" in capsys.readouterr().out
    assert main(["plan", "git:nowhere", *TRUST]) == 2
    assert "no revision 'nowhere'" in capsys.readouterr().err
    monkeypatch.chdir(tmp_path.parent)
    assert main(["plan", f"git:HEAD:{tmp_path.name}", *TRUST]) == 3


class TestSigned:
    """With keys as OpenSSL and ssh-keygen make them."""

    @pytest.fixture(params=["openssl", "ssh-keygen"])
    def keys(self, request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
        if shutil.which(request.param) is None:
            pytest.skip(f"{request.param} is not installed")
        private, public = str(tmp_path / "plan.key"), str(tmp_path / "plan.key.pub")
        if request.param == "openssl":
            subprocess.run(["openssl", "genpkey", "-algorithm", "ed25519", "-out", private], check=True)
            subprocess.run(["openssl", "pkey", "-in", private, "-pubout", "-out", public], check=True)
        else:
            subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", private], check=True)
        return private, public

    def test_is_done_when_the_signature_holds(
        self, keys: tuple[str, str], capsys: pytest.CaptureFixture[str]
    ) -> None:
        private, public = keys
        assert main(["plan", ".", "-o", "p", "--sign", private, *TRUST]) == 3
        signed = Path("p").read_text()
        unsigned = json.loads(signed)
        del unsigned["signature"]
        forged = json.loads(signed)
        forged["steps"][0]["reason"] = "because"
        cases = [
            (json.dumps(unsigned), public, "is not signed"),
            (json.dumps(forged), public, "was changed after it was signed"),
            (signed.replace('"signature": "', '"signature": "!'), public, "was changed after it was signed"),
            (signed, private, "this is no public key"),
            (signed, "nowhere", "cannot be read"),
        ]
        for text, key, words in cases:
            Path("q").write_text(text)
            capsys.readouterr()
            assert main(["deploy", ".", "q", "--verify", key, *TRUST]) in (1, 2)
            assert words in capsys.readouterr().err
            assert not Path("world/etc").exists()
        assert main(["deploy", ".", "p", "--verify", public, *TRUST]) == 0
        assert Path("world/etc/motd").read_text() == "hello"

    def test_keys_that_are_none(self, capsys: pytest.CaptureFixture[str]) -> None:
        Path("k").write_text("no key")
        cases = [
            (["plan", ".", "-o", "p", "--sign", "k"], "'k': this is no private key: `openssl genpkey"),
            (["plan", ".", "--sign", "k"], "say where with --output"),
            (["deploy", ".", "--verify", "k", "--yes"], "name the file after PATH"),
        ]
        for words, said in cases:
            assert main([*words, *TRUST]) == 2
            assert said in capsys.readouterr().err
        assert not Path("p").exists()
