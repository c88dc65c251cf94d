"""Graphs for pages, and what stands in a page."""

from __future__ import annotations

import base64
import gzip
import json
import re
from collections.abc import Iterator
from typing import Any, Final

from sabir.graph import AttributeRead, Graph, How, Instance, Origin, Record, Ref, Sensitive
from sabir.text import Location, Place, Source, Span

__all__ = ["HOSTILE", "SECRET", "readers", "sections", "services", "shop"]

SECRET: Final = "hush-hush-4711"
HOSTILE: Final = "</script><img src=x onerror=alert(1)>{{script}}<!-- data --><!--\u2028'\"&amp;`${1}"
_MODEL: Final = f"""\
Network(name="back", cidr="10.1.0.0/24")
Database(name="orders", address=first(back.cidr), password="{SECRET}")
  token = secret()
Service(name="shop", url="db://" + orders.address)
  Container(image="shop:1")
"""


def shop() -> Graph:
    """Three languages, an owner with parts, a chain of provenance, secrets, and lines of source."""
    source = Source("main.cf", _MODEL)

    def at(line: int, how: How, *sources: Origin | AttributeRead) -> Origin:
        start = source.offset(line)
        return Origin(Place(source, Span(start, start + 5)), how, sources)

    back = Instance(
        id="net/back",
        type="network::Subnet",
        language="inmanta",
        name="back",
        attributes=Record.of({"cidr": "10.1.0.0/24"}),
        origin=at(1, How.CONSTRUCTOR),
        origins=Record.of({"cidr": at(1, How.LITERAL)}),
    )
    orders = Instance(
        id="orders",
        type="org.example.PostgreSql",
        language="muranopl",
        name="orders",
        attributes=Record.of(
            {"address": "10.1.0.1", "port": 5432, "password": Sensitive(SECRET), "network": Ref("net/back")}
        ),
        relations=Record.of({"network": ("net/back",)}),
        origin=at(2, How.CONSTRUCTOR),
        origins=Record.of(
            {
                "address": at(2, How.EXPRESSION, AttributeRead("net/back", "cidr")),
                "password": at(3, How.LITERAL),
            }
        ),
    )
    service = Instance(
        id="shop",
        type="service",
        language="ccp",
        name="shop",
        attributes=Record.of({"url": "db://10.1.0.1"}),
        relations=Record.of({"depends on": ("orders",)}),
        status="active",
        origin=at(4, How.CONSTRUCTOR),
        origins=Record.of(
            {"url": at(4, How.TEMPLATE, at(5, How.LITERAL), AttributeRead("orders", "address"))}
        ),
    )
    web = Instance(
        id="shop/web",
        type="container",
        language="ccp",
        name="web",
        owner="shop",
        attributes=Record.of({"image": "shop:1"}),
        requires=("orders",),
        origin=at(5, How.CONSTRUCTOR),
    )
    return Graph([back, orders, service, web], outputs={"url": "db://10.1.0.1", "key": Sensitive(SECRET)})


def services(count: int, *, each: int = 4) -> Graph:
    """`count` instances: services that use each other, every one with parts."""
    return Graph(_services(count, each))


def _services(count: int, each: int) -> Iterator[Instance]:
    for number in range(count):
        service, part = divmod(number, each)
        uses = {"uses": (f"s{service * 7 // 10}",)} if service and not part else {}
        yield Instance(
            id=f"s{service}" if not part else f"s{service}.{part}",
            type="part" if part else f"service::Kind{service % 5}",
            language=("ccp", "tosca", "inmanta")[service % 3],
            name=f"part-{service}-{part}" if part else f"service-{service}",
            owner=f"s{service}" if part else None,
            attributes=Record.of({"port": 1000 + number}),
            relations=Record.of(uses),
        )


def readers(count: int) -> Graph:
    """Instances each of which was computed from the one before, with no relation between them."""
    return Graph(
        Instance(
            id=f"r{number}",
            type="Reader",
            language=("ccp", "tosca")[number % 2],
            name=f"reader-{number}",
            attributes=Record.of({"value": number}),
            origins=Record.of(
                {
                    "value": Origin(
                        Location("main.cf", number + 1, 1),
                        How.EXPRESSION,
                        (AttributeRead(f"r{number - 1}", "value"),) if number else (),
                    )
                }
            ),
        )
        for number in range(count)
    )


def sections(page: bytes) -> dict[str, Any]:
    """The data of a page, unpacked."""
    found = re.findall(
        rb'<script type="application/(json|gzip)" id="([a-z0-9-]+)">(.*?)</script>', page, re.DOTALL
    )
    return {
        name.decode(): json.loads(gzip.decompress(base64.b64decode(text)) if kind == b"gzip" else text)
        for kind, name, text in found
    }
