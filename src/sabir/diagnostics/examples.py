"""Examples of rules, kept as data next to the rules: `explain`, the docs and the tests load them, a check never does.

A package with rules ships a file `examples.yaml`:

    bases:
      library: {manifest.yaml: "Name: Tools\\n", LICENSE: Apache-2.0}
    rules:
      MAN:E001:
        base: library
        bad:
          manifest.yaml: {replace: "Name: Tools", with: "Nmae: Tools"}

`bad` and `good` are the files of a package by path. With a `base` they start from its files, so that an entry states only
what differs; without `good` the base itself is the good example. A file is a string (bytes, where it is not UTF-8), null
where the base has a file that the example lacks, one replacement in the file of the base, or `{repeat: x, times: 9}`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any, Final

import yaml

from sabir.diagnostics.rules import Example, Examples

_FILE: Final = "examples.yaml"


def load_examples(package: str, code: str) -> Examples:
    """The examples of a rule from the file of a package; KeyError when it has none."""
    return _load_file(package)[code]


def load_bases(package: str) -> Mapping[str, Example]:
    """The packages from which the examples of a file are made."""
    return {name: _build({}, content) for name, content in _parse_file(package).get("bases", {}).items()}


@cache
def _load_file(package: str) -> Mapping[str, Examples]:
    bases = load_bases(package)
    loaded = dict[str, Examples]()
    for code, entry in _parse_file(package)["rules"].items():
        base = bases[entry["base"]] if "base" in entry else {}
        loaded[code] = Examples(bad=_build(base, entry["bad"]), good=_build(base, entry.get("good", {})))
    return loaded


def _parse_file(package: str) -> Any:
    text = files(package).joinpath(_FILE).read_bytes()
    return yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader))


def _build(base: Example, changes: Mapping[str, object]) -> Example:
    built = {**base}
    for name, content in changes.items():
        match content:
            case str():
                built[name] = content
            case bytes():
                built[name] = content.decode("utf-8", "surrogateescape")
            case None:
                del built[name]
            case {"replace": str(old), "with": str(new)} if old in built[name]:
                built[name] = built[name].replace(old, new, 1)
            case {"repeat": str(text), "times": int(times)}:
                built[name] = text * times
            case _:
                raise ValueError(f"{name}: expected a file or a change of the base, found {content!r}")
    return built
