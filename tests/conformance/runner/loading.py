"""Case files as plain data. An ordinary YAML reader, so that the runner owes nothing to the one it tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import yaml

from tests.conformance.runner.case import Case, MalformedCase

__all__ = ["CaseFileError", "case_lists", "common_fields", "load_lists", "read_yaml"]


class CaseFileError(Exception):
    """A case file that cannot be read at all."""


class _Reader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]  # its base is picked when loading
    """Refuses a key that is given twice: in a case it hides an expectation."""

    def construct_mapping(self, node: Any, deep: bool = False) -> dict[Any, Any]:
        seen: set[str] = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        None, None, f"key {key.value!r} twice", key.start_mark
                    )
                seen.add(key.value)
        mapping: dict[Any, Any] = super().construct_mapping(node, deep=deep)
        return mapping


def read_yaml(file: Path) -> Any:
    try:
        return yaml.load(file.read_bytes(), Loader=_Reader)
    except (yaml.YAMLError, OSError) as error:
        raise CaseFileError(f"{file}: {error}") from error


def case_lists(folder: Path, *, leave_out: frozenset[str] = frozenset()) -> Iterator[tuple[Path, Any]]:
    """Every entry of every `*.yaml` list in the folder, in the order of the names of the files."""
    for file in sorted(folder.glob("*.yaml")):
        if file.name in leave_out:
            continue
        content = read_yaml(file)
        if not isinstance(content, list):
            raise CaseFileError(f"{file}: a list of cases wanted")
        for entry in content:
            yield file, entry


def common_fields(language: str, file: Path, raw: Mapping[str, Any]) -> dict[str, Any]:
    """The keyword arguments that every `Case` takes."""
    return {
        "language": language,
        "id": raw["id"],
        "file": file,
        "rows": tuple(raw.get("rows", ())),
        "spec": str(raw.get("spec", "")),
        "why": str(raw.get("why", "")),
        "raw": raw,
    }


def malformed(language: str, file: Path, raw: Any, problems: list[str]) -> MalformedCase:
    fields: Mapping[str, Any] = raw if isinstance(raw, dict) else {}
    name = fields.get("id")
    return MalformedCase(
        language=language,
        id=name if isinstance(name, str) else f"unnamed-in-{file.name}",
        file=file,
        raw=fields,
        problems=tuple(problems),
    )


def load_lists(
    language: str,
    folder: Path,
    shape: Callable[[Any, str], list[str]],
    build: Callable[[Path, dict[str, Any]], Case],
) -> list[Case]:
    """The cases of a folder of lists; one that does not have the shape becomes a `MalformedCase`."""
    cases: list[Case] = []
    for file, raw in case_lists(folder):
        problems = shape(raw, "")
        cases.append(malformed(language, file, raw, problems) if problems else build(file, raw))
    return cases
