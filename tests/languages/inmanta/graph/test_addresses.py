"""Addresses of a model: what stands around a statement leaves the address of what it makes alone."""

from __future__ import annotations

import re

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.languages.inmanta.graph.test_build import graph_of

HEAD = """\
entity Host:
    string ip
end
entity Disk:
    int size
end
entity Named:
    string name
end
entity Mount:
end
Host.disks [0:] -- Disk.host [1]
Mount.disk [1] -- Disk
index Named(name)
index Mount(disk)
implementation disks for Host:
    first = Disk(size=1, host=self)
    Disk(size=2, host=self)
    Mount(disk=first)
end
implement Host using disks
implement Disk using std::none
implement Named using std::none
implement Mount using std::none
"""
STATEMENTS = (
    'left = Host(ip="10.0.0.1")',
    'Host(ip="10.0.0.2")',
    'Host( ip = "10.0.0.3" )',
    'for last in ["7", "8"]:\n    Host(ip=last)\nend',
    'for last in ["7", "9"]:\n    looped = Host(ip=last)\nend',
    'if true:\n    inner = Host(ip="4")\nend',
    'Named(name="a")',
    'Named(name="b [|%]")',
)


def addresses(statements: list[str]) -> dict[str, str]:
    """The ids of instances, with what they hold."""
    graph = graph_of(HEAD + "\n".join(statements) + "\n")
    return {
        instance.id: repr(dict(instance.attributes)) for instance in graph if "std::" not in instance.type
    }


@settings(max_examples=25, deadline=None)
@given(st.permutations(STATEMENTS), st.integers(0, len(STATEMENTS)))
def test_other_statements_leave_an_address_alone(statements: list[str], count: int) -> None:
    whole, some = addresses(statements), addresses(statements[:count])
    assert some.items() <= whole.items()
    assert whole == addresses(sorted(statements))


def test_a_variable_keeps_its_address_when_its_attributes_change() -> None:
    assert addresses(['left = Host(ip="1")']).keys() == addresses(['left = Host(ip="2")']).keys()


def test_equal_instances_are_counted() -> None:
    ids = [id_ for id_ in addresses(['Host(ip="1")', 'Host(ip="1")']) if id_.startswith("Host")]
    assert re.fullmatch(r"Host\[\w{12}\] Host\[\w{12}#2\]", " ".join(ids))
