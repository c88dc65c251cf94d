"""lookup: Ansible's lookups env, file and url, and Unfurl's own; plug-ins may add others, and Ansible itself where it is installed.

Lookups of Ansible itself, where ansible-core is installed and the operator lets programs of the description run.

Ansible runs as a process of its own and is told everything as data. One lookup takes it about a second, so answers are kept for the
evaluation.

Fetching a URL for an expression: only when allowed, and never from where the inside of a network lives.
"""

from __future__ import annotations

import base64
import binascii
import ipaddress
import json
import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final
from urllib.parse import unquote, urlsplit

from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.query.access import FILE_NOT_FOUND, base_directory, normalize_path, read_bytes
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.dependents import IdentityDict
from sabir.expressions.query.errors import BAD_ARGUMENTS, NOT_FOUND, REFUSED, TOO_MUCH, expression_rule
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.environment import read_variable
from sabir.expressions.query.functions.registry import Function, Lookup, load_plugins, table
from sabir.expressions.query.values import reveal_deep

UNKNOWN_LOOKUP: Final = expression_rule(
    "EXPR:E005",
    title="a lookup that does not exist",
    why="env, file, url and unfurl are there; others come with plug-ins.",
)


def lookup_function(call: FunctionCall, context: QueryContext) -> Any:
    spec = call.argument
    if not isinstance(spec, Mapping) or not spec:
        call.fail(context, "lookup needs a map: the lookup's name with its argument, then its keywords")
    name, *_ = spec
    value = reveal_deep(call.value(context, spec[name]))
    keywords = {key: reveal_deep(call.value(context, raw)) for key, raw in spec.items() if key != name}
    found = run_lookup(str(name), value, keywords, call, context)
    return found[0] if len(found) == 1 else found


def run_lookup(
    name: str, value: Any, keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any]:
    run = LOOKUPS.get(name.removeprefix("ansible.builtin.")) or load_plugins().lookups.get(name)
    terms = value if isinstance(value, list) else [value]
    if run is None:
        answer = _of_ansible(name, terms, keywords, call, context)
        if answer is not None:
            return answer
        there = [*LOOKUPS, *load_plugins().lookups]
        hint = did_you_mean(name, there) or (
            f"there are {', '.join(there)}; a plug-in can add others, and with --trust scripts those of ansible-core run where it is installed"
        )
        call.fail(context, f"there is no lookup {name!r}", UNKNOWN_LOOKUP, hint)
    return run(terms, keywords, call, context)


def _of_ansible(
    name: str, terms: list[Any], keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any] | None:
    """What Ansible answers, where it is installed and may run; None: it has no such lookup."""
    if not context.session.work.trust.scripts:
        return None

    return ansible_lookup(name, terms, keywords, call, context)


def lookup_env(
    terms: list[Any], keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any]:
    """S-89: the second item is the default."""
    default = keywords.get("default", "")
    if len(terms) == 2:
        terms, default = terms[:1], terms[1]
    if not all(isinstance(term, str) for term in terms):
        call.fail(context, "lookup env needs the name of a variable")
    values = [read_variable(term, call, context) for term in terms]
    return [default if value is None else value for value in values]


def lookup_file(
    terms: list[Any], keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any]:
    found: list[Any] = []
    for term in terms:
        path = normalize_path(str(term), context.directory or base_directory(context))
        raw = read_bytes(path, call, context)
        if raw is None:
            call.fail(context, f"there is no file {str(path)!r}", FILE_NOT_FOUND)
        text = raw.decode("utf-8", errors="replace")
        text = text.rstrip() if keywords.get("rstrip", True) else text
        found.append(text.lstrip() if keywords.get("lstrip", False) else text)
    return found


def lookup_url(
    terms: list[Any], keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any]:

    found: list[Any] = []
    for term in terms:
        raw = fetch_url(str(term), keywords, call, context)
        text = raw.decode("utf-8", errors="replace")
        found.extend(text.splitlines() if keywords.get("split_lines", True) else [text])
    return found


def lookup_unfurl(
    terms: list[Any], keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any]:
    """Expressions, from where the template stands."""
    from sabir.expressions.query.values import plain_value

    del keywords
    return [plain_value(call.single(context, term)) for term in terms]


LOOKUPS: Final[Mapping[str, Lookup]] = {
    "env": lookup_env,
    "file": lookup_file,
    "url": lookup_url,
    "unfurl": lookup_unfurl,
}
FUNCTIONS: Final = table(
    Function("lookup", lookup_function),
)


_NAME: Final = re.compile(r"[a-z_][a-z0-9_]*(\.[a-z_][a-z0-9_]*){0,5}")
_TIMEOUT: Final = 60
_TEMPLATE: Final = "msg={{ query(sabir_name, *sabir_terms, **sabir_keywords) | to_json | b64encode }}"
_ANSWER: Final = re.compile(r'"msg": "([A-Za-z0-9+/=]*)"')


class _Answers(IdentityDict):
    """What Ansible has answered in this evaluation, by the question."""


_NOT_THERE: Final = re.compile(r"lookup plugin \S+ (was )?not found")
_WHERE: Final = "Error while resolving value for 'msg': "


def ansible_lookup(
    name: str, terms: list[Any], keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext
) -> list[Any] | None:
    """What Ansible answers; None when it is not installed or has no such lookup."""
    program = _find_program(context.session.work.environment.get("PATH"))
    if program is None or _NAME.fullmatch(name) is None:
        return None
    question = {"sabir_name": name, "sabir_terms": terms, "sabir_keywords": dict(keywords)}
    text = json.dumps(question, sort_keys=True, default=str)
    answers = context.session.tool(_Answers)
    if text not in answers:
        answers[text] = _run_ansible(program, name, text, call, context)
        context.session.rests_outside(answers, text)
    answer: list[Any] | None = answers[text]
    return answer


def _find_program(search_path: str | None) -> str | None:
    """Ansible on the search path, or beside the Python that runs."""
    beside = str(Path(sys.executable).parent)
    return shutil.which("ansible", path=os.pathsep.join(filter(None, [search_path, beside])))


def _run_ansible(
    program: str, name: str, question: str, call: FunctionCall, context: QueryContext
) -> list[Any] | None:
    words = [program, "localhost", "-i", "localhost,", "-c", "local", "-m", "debug", "-a", _TEMPLATE]
    surroundings = {
        **context.session.work.environment,
        "ANSIBLE_NOCOLOR": "1",
        "ANSIBLE_RETRY_FILES_ENABLED": "0",
    }
    surroundings.setdefault("LC_ALL", "C.UTF-8")
    try:
        done = subprocess.run(
            [*words, "-e", question],
            cwd=base_directory(context),
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            timeout=_TIMEOUT,
            check=False,
        )
    except subprocess.TimeoutExpired:
        call.fail(context, f"the lookup {name!r} of Ansible took longer than {_TIMEOUT} seconds")
    except OSError as error:
        call.fail(context, f"Ansible cannot be run for the lookup {name!r}: {error.strerror}")
    match = _ANSWER.search(done.stdout.decode("utf-8", "replace"))
    if done.returncode or match is None:
        complaint = _failure_reason(done)
        if _NOT_THERE.search(complaint):
            return None
        call.fail(context, f"the lookup {name!r} of Ansible failed: {complaint}", BAD_ARGUMENTS)
    try:
        answer = json.loads(base64.b64decode(match[1]))
    except (ValueError, binascii.Error):
        answer = None
    return answer if isinstance(answer, list) else [answer]


def _failure_reason(done: subprocess.CompletedProcess[bytes]) -> str:
    """The line that says why; Ansible's own words before it say where in its templates."""
    said = (done.stdout + done.stderr).decode("utf-8", "replace")
    told = re.findall(r'"msg": "(.*)"', said) or [line for line in said.splitlines() if "ERROR" in line]
    words = told[-1] if told else said.strip() or f"it ended with status {done.returncode}"
    return words.rpartition(_WHERE)[2][:300]


_LARGEST: Final = 16 * 1024 * 1024
_PATIENCE: Final = 10.0
_REDIRECTS: Final = 5


def fetch_url(url: str, keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext) -> bytes:
    parts = urlsplit(url)
    if parts.scheme == "file":
        raw = read_bytes(Path(unquote(parts.path)), call, context)
        if raw is None:
            call.fail(context, f"there is no file {parts.path!r}", FILE_NOT_FOUND)
        return raw
    if parts.scheme not in ("http", "https") or not parts.hostname:
        call.fail(context, f"lookup url takes http, https and file addresses, not {url!r}")
    if not context.session.work.trust.network:
        call.fail(
            context,
            f"{url!r} is not fetched: the project is not trusted with the network",
            REFUSED,
            "allow it with --trust network, if you know where this description comes from",
        )
    return _request_url(url, keywords, call, context)


def _resolve_address(host: str, port: int, call: FunctionCall, context: QueryContext) -> str:
    """An address of the host that may be asked; it is resolved once, so that no second answer can differ."""
    try:
        found = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        call.fail(context, f"the host {host!r} is not known: {explain_error(error)}", NOT_FOUND)
    private_allowed = context.session.work.trust.private_network
    for *_, (address, *_rest) in found:
        ip = ipaddress.ip_address(str(address).partition("%")[0])
        if not private_allowed and not ip.is_global:
            call.fail(
                context,
                f"{host!r} is the private address {address}, which expressions may not ask",
                REFUSED,
                "allow it with --trust private-network",
            )
    return str(found[0][4][0])


def _request_url(url: str, keywords: Mapping[str, Any], call: FunctionCall, context: QueryContext) -> bytes:
    import http.client
    import ssl
    from urllib.parse import urljoin

    for _ in range(_REDIRECTS):
        parts = urlsplit(url)
        host = parts.hostname or ""
        secure = parts.scheme == "https"
        port = parts.port or (443 if secure else 80)
        address = _resolve_address(host, port, call, context)
        connection = http.client.HTTPConnection(address, port, timeout=_PATIENCE)
        try:
            connection.connect()
            if secure:
                tls = ssl.create_default_context()
                if not keywords.get("validate_certs", True):
                    tls.check_hostname = False
                    tls.verify_mode = ssl.CERT_NONE
                connection.sock = tls.wrap_socket(connection.sock, server_hostname=host)
            target = (parts.path or "/") + (f"?{parts.query}" if parts.query else "")
            connection.request(
                "GET", target, headers={"Host": parts.netloc.rpartition("@")[2], "User-Agent": "sabir"}
            )
            response = connection.getresponse()
            raw = response.read(_LARGEST + 1)
        except (OSError, http.client.HTTPException) as error:
            call.fail(context, f"{url!r} cannot be fetched: {explain_error(error)}", NOT_FOUND)
        finally:
            connection.close()
        if len(raw) > _LARGEST:
            call.fail(context, f"{url!r} gives more than {_LARGEST >> 20} MB", TOO_MUCH)
        if response.status in (301, 302, 303, 307, 308) and response.headers.get("Location"):
            url = urljoin(url, response.headers["Location"])
            if urlsplit(url).scheme not in ("http", "https"):
                call.fail(context, f"{url!r} is no address that may be followed", REFUSED)
            continue
        if response.status != 200:
            call.fail(context, f"{url!r} answers {response.status} {response.reason}", NOT_FOUND)
        return raw
    raise call.error(context, f"{url!r} leads on more than {_REDIRECTS} times", TOO_MUCH)
