"""The `yaql` library's side of the YAQL workloads. Install yaql 3.2.0 in an environment of its own."""

import collections.abc  # noqa: F401 - yaql needs it loaded
import json
import os

QUERY = "$.items.where($.price > 10).select($.name)"
CHAIN = "$.a.b.c + 1"


def _read(folder):
    with open(os.path.join(folder, "input.json"), encoding="utf-8") as file:
        return json.load(file)


def parse_all(folder, size):
    import yaql

    texts = _read(folder)
    engine = yaql.YaqlFactory().create()
    engine("1")
    return lambda: len([engine(text) for text in texts])


def query(folder, size):
    import yaql

    data = _read(folder)
    context = yaql.create_context()
    expression = yaql.YaqlFactory().create()(QUERY)
    return lambda: len(expression.evaluate(data=data, context=context.create_child_context()))


def chain(folder, size):
    import yaql

    data = _read(folder)
    context = yaql.create_context()
    expression = yaql.YaqlFactory().create()(CHAIN)
    return lambda: sum(
        [expression.evaluate(data=data, context=context.create_child_context()) for _ in range(size)]
    )


def start(folder, size):
    def run():
        import yaql

        return yaql.eval("$.a.b.c - $.a.b.c", _read(folder))

    return run
