"""Redaction for tokens without the permission to deploy.

Not every language can mark a value as sensitive. A model or configuration with a password in plain text is
only for tokens that may deploy it. For all others, values under names such as `password` are removed from
graphs, plans and reports, along with other occurrences of the same text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec.structs import replace

from sabir.graph.graph import Graph
from sabir.graph.record import Record
from sabir.graph.secrets import Secrets, secret_texts
from sabir.graph.values import Sensitive, Value
from sabir.text import REDACTED

_NAME: Final = re.compile(
    r"passw(or)?d|passphrase|(^|[^a-z])(pass|pwd)([^a-z]|$)|secret|token|credential|(api|private|access|auth)[-_ ]?key",
    re.IGNORECASE,
)
_ABOUT: Final = re.compile(
    r"(name|ref|url|uri|path|file|policy|type|length|size|ttl|seconds|count|id|enabled|required)s?$",
    re.IGNORECASE,
)
"""Endings of names that describe a secret and do not contain it: `secretName`, `password_file`."""
_WRITTEN: Final = re.compile(
    rf"""(?P<name>[\w.-]*(?:{_NAME.pattern})[\w.-]*["']?\s*[:=]\s*)(?P<value>"(?:[^"\\]|\\.)*"|'[^']*'|[^\s,;}}\]]+)""",
    re.IGNORECASE,
)
_EXCERPT: Final = re.compile(r"(?m)^ *\d* +\|.*(?:\n|\Z)")
"""A source line under a message, or the marker under that line."""


def is_secret_name(name: str) -> bool:
    """Tell whether values under a name are usually secret: `password`, `adminPassword`, `api_key`."""
    return _NAME.search(name) is not None and _ABOUT.search(name) is None


def mark_graph(graph: Graph, *others: Graph) -> Graph:
    """Return the graph with secret values marked as sensitive, including those of `others` shown with it."""
    texts = [
        text
        for each in (graph, *others)
        for instance in each
        for name, value in instance.attributes.items()
        for text in _texts_in(value, secret=is_secret_name(name))
    ]
    secrets = Secrets(texts, most=max(500, len(texts) * 8))
    if not secrets:
        return graph

    def marked(name: str, value: Value) -> Value:
        if is_secret_name(name) and isinstance(value, str):
            return Sensitive(value)
        return secrets.mark_sensitive(value)

    instances = (
        replace(
            instance,
            attributes=Record.of({name: marked(name, value) for name, value in instance.attributes.items()}),
        )
        for instance in graph
    )
    outputs = {name: marked(name, value) for name, value in graph.outputs.items()}
    return Graph(instances, outputs=outputs, output_origins=graph.output_origins)


def redact_document(data: Any) -> Any:
    """Return JSON data without its secret values."""
    texts = [*_texts_in(data, secret=False)]
    secrets = Secrets(texts, most=max(500, len(texts) * 8))
    return _redacted(data, secrets)


def redact_text(text: str) -> str:
    """Return a message without source lines and without quoted secret values: `"password": "…"`."""
    return _WRITTEN.sub(lambda match: f"{match['name']}{REDACTED}", _EXCERPT.sub("", text))


def _texts_in(value: Any, *, secret: bool) -> Iterator[str]:
    match value:
        case Sensitive():
            yield from secret_texts(value) or ()
        case Mapping():
            for key, item in value.items():
                yield from _texts_in(item, secret=secret or is_secret_name(str(key)))
        case list() | tuple():
            for item in value:
                yield from _texts_in(item, secret=secret)
        case str() if secret and value != REDACTED:
            yield value
        case _:
            return


def _redacted(data: Any, secrets: Secrets) -> Any:
    if isinstance(data, dict):
        return {
            key: REDACTED if is_secret_name(str(key)) and isinstance(item, str) else _redacted(item, secrets)
            for key, item in data.items()
        }
    if isinstance(data, list):
        return [_redacted(item, secrets) for item in data]
    return redact_text(secrets.redact(data)) if isinstance(data, str) else data
