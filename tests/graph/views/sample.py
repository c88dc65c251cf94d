"""A small graph with a bit of everything, for golden files."""

from sabir.graph import UNKNOWN, Graph, How, Instance, Origin, Record, Ref, Sensitive
from sabir.text import Location

MODEL = "main.cf"


def _origin(line: int, how: How, note: str | None = None) -> Origin:
    return Origin(Location(MODEL, line, 1), how, (), note)


def sample() -> Graph:
    host = Instance(
        id="host-1",
        type="std::Host",
        language="inmanta",
        name="web-1",
        attributes=Record.of({"ip": "10.0.0.1", "os": Ref("os-1"), "password": Sensitive("hush")}),
        origin=_origin(3, How.CONSTRUCTOR),
        origins=Record.of({"ip": _origin(3, How.LITERAL), "os": _origin(4, How.DEFAULT, "std::linux")}),
    )
    system = Instance(id="os-1", type="std::OS", language="inmanta", name="linux", status="active")
    service = Instance(
        id="service/api",
        type="service",
        language="ccp",
        name="api",
        attributes=Record.of({"ports": [80, 443], "address": UNKNOWN, 'odd "name"': "<a & b>\nsecond line"}),
        relations=Record.of({"depends on": ("host-1",), "files": ()}),
        requires=("host-1", "not-here"),
    )
    container = Instance(
        id="service/api/main",
        type="container",
        language="ccp",
        name="main",
        owner="service/api",
        relations=Record.of({"image": ("service/api",), "logs": ("host-1",), "writes to": ("host-1",)}),
    )
    command = Instance(
        id="service/api/main/start",
        type="command",
        language="ccp",
        name="start",
        owner="service/api/main",
        requires=("os-1",),
    )
    return Graph(
        [host, system, service, container, command],
        outputs={"url": "http://10.0.0.1", "token": Sensitive("hush")},
        output_origins={"url": _origin(9, How.EXPRESSION)},
    )
