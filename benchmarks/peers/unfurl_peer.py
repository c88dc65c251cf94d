"""Unfurl's side of the expression workloads."""

import logging
import os

os.environ.setdefault("UNFURL_LOGGING", "critical")
os.environ["UNFURL_HOME"] = ""

from unfurl.eval import Ref, RefContext, map_value
from unfurl.runtime import NodeInstance
from unfurl.support import AttributeManager
from unfurl.yamlloader import make_yaml

logging.disable(logging.CRITICAL)

DATA = {
    "title": "crate",
    "size": {"w": 3, "h": 4},
    "people": [{"name": "a", "age": 31}, {"name": "b", "age": 45}],
}


def _box():
    box = NodeInstance("box", DATA)
    box.attributeManager = AttributeManager(make_yaml())
    return box


def _repeated(expression, size):
    box = _box()
    return lambda: sum(len(Ref(expression).resolve(RefContext(box))) for _ in range(size))


def two_keys(folder, size):
    return _repeated(".::size::w", size)


def filtered(folder, size):
    return _repeated("people::[age=45]::name", size)


def concat(folder, size):
    return _repeated({"concat": [{"eval": ".::title"}, {"eval": ".::size::w"}]}, size)


def template(folder, size):
    box = _box()
    return lambda: sum(
        len(map_value("w={{ SELF.size.w }} {{ 1 + 1 }}", RefContext(box))) for _ in range(size)
    )


def over_tree(folder, size):
    root = NodeInstance("root", {"region": "eu"})
    root.attributeManager = AttributeManager(make_yaml())
    made = 1
    number = 0
    for at in range(max(1, size // 100)):
        rack = NodeInstance(f"rack{at}", {"slots": at})
        rack.parent = root
        root.instances.append(rack)
        made += 1
        while made < size and len(rack.instances) < 99:
            server = NodeInstance(
                f"srv{number}", {"cpu": number % 16, "role": ("web", "db", "mq")[number % 3]}
            )
            server.parent = rack
            rack.instances.append(server)
            made += 1
            number += 1
    return lambda: len(Ref("::*::[role=db]::.name").resolve(RefContext(root)))
