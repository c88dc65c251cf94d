"""urljoin and portspec: addresses and ports out of parts; is_function_defined: whether a function is there to be called."""

from __future__ import annotations

import re
from functools import cache
from typing import Any, Final
from urllib.parse import quote, quote_plus

from sabir.expressions.query.context import Context
from sabir.expressions.query.functions.call import Call, Matches
from sabir.expressions.query.functions.registry import Function, find, table
from sabir.expressions.query.values import holds_unknown, is_sensitive, mark, resting_on, reveal_deep

__all__ = ["ADDRESS_FUNCTIONS"]

_USUAL_PORTS: Final = {"http": "80", "https": "443"}
_HIGHEST_PORT: Final = 65535


def urljoin(call: Call, context: Context) -> Any:
    """`[scheme, host, port, path, query, fragment]`, of which all but the first two may be left out."""
    call.items(context, 2, 6)
    value = call.value(context)
    if holds_unknown(value):
        return resting_on(value)
    parts = ["" if part is None else str(part) for part in reveal_deep(value)]
    url = _url(*parts)
    return mark(url) if url and is_sensitive(value) else url


def _url(
    scheme: str, host: str, port: str = "", path: str = "", query: str = "", fragment: str = ""
) -> str | None:
    if not (scheme or host or path or query or fragment):
        return None
    place = f"{host}:{port}" if port and _USUAL_PORTS.get(scheme) != port else host
    path = quote(path)
    if place and path and not path.startswith("/"):
        path = "/" + path
    begin = (f"{scheme}:" if scheme else "") + ("//" if place else "")
    end = (f"?{quote_plus(query)}" if query else "") + (f"#{quote(fragment)}" if fragment else "")
    return begin + place + path + end


@cache
def _ports() -> re.Pattern[str]:
    ends = r"(\d{1,5})(?:-(\d{1,5}))?"
    return re.compile(rf"{ends}(?::{ends})?(?:/(\w+))?", re.ASCII)


def portspec(call: Call, context: Context) -> Any:
    """`source[-last][:target[-last]][/protocol]` as the map that tosca.datatypes.network.PortSpec is."""
    value = call.value(context)
    if holds_unknown(value):
        return resting_on(value)
    written = reveal_deep(value)
    if written is None or written == "" or isinstance(written, dict):
        return written or None
    read = _ports().fullmatch(str(written).strip())
    numbers = [int(number) for number in read.groups()[:4] if number] if read else []
    if (
        read is None
        or isinstance(written, bool)
        or not all(0 < number <= _HIGHEST_PORT for number in numbers)
    ):
        call.fail(
            context,
            f"portspec cannot read {written!r}",
            hint="write 80, 80:8080, 80-90:8080-8090 or 53/udp, with ports from 1 to 65535",
        )
    source, source_end, target, target_end, protocol = read.groups()
    if target is None:
        target, target_end = source, source_end
    ports = {
        "protocol": protocol or "tcp",
        **_port("source", source, source_end),
        **_port("target", target, target_end),
    }
    return Matches([mark(ports) if is_sensitive(value) else ports])


def _port(name: str, first: str, last: str | None) -> dict[str, Any]:
    single, several = (int(first), None) if last is None else (None, [int(first), int(last)])
    return {name: single, f"{name}_range": several}


def is_function_defined(call: Call, context: Context) -> Any:
    return find(call.text(context, "the name of a function")) is not None


ADDRESS_FUNCTIONS: Final = table(
    Function("urljoin", urljoin),
    Function("portspec", portspec),
    Function("is_function_defined", is_function_defined),
)
