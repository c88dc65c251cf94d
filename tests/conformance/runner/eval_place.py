"""Where an eval case runs: a project with an ensemble in it, files written, environment set."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

__all__ = ["expanded", "file_differences", "prepared_ensemble"]

_NEVER_SET = "SABIR_NONE"
_HOME = "UNFURL_HOME"


def expanded(value: Any, folder: Path) -> Any:
    """`<DIR>` and `<PROJECT>` replaced by real paths, in texts at any depth, keys included."""
    match value:
        case str():
            return value.replace("<DIR>", str(folder)).replace("<PROJECT>", str(folder.parent))
        case list():
            return [expanded(item, folder) for item in value]
        case dict():
            return {expanded(key, folder): expanded(item, folder) for key, item in value.items()}
        case _:
            return value


@contextmanager
def prepared_ensemble(files: Mapping[str, Any], env: Mapping[str, str]) -> Iterator[Path]:
    """The folder of the ensemble, as the current directory."""
    before, environment = Path.cwd(), dict(os.environ)
    with tempfile.TemporaryDirectory(prefix="sabir-case-") as scratch:
        folder = Path(scratch).resolve() / "project" / "ensemble"
        folder.mkdir(parents=True)
        for path, content in files.items():
            _write(folder / path, content)
        try:
            os.environ.pop(_NEVER_SET, None)
            os.environ[_HOME] = ""
            os.environ.update({name: expanded(value, folder) for name, value in env.items()})
            os.chdir(folder)
            yield folder
        finally:
            os.chdir(before)
            os.environ.clear()
            os.environ.update(environment)


def _write(file: Path, content: Any) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, dict):
        file.write_bytes(bytes.fromhex(content["$bytes"]))
    else:
        file.write_text(content, encoding="utf-8", newline="")


def file_differences(expected: Mapping[str, Any], folder: Path) -> list[str]:
    """Files after evaluation: text, `{$bytes}`, `{$dir}`, `{$prefix}`, or null for absent."""
    found: list[str] = []
    for path, rule in expected.items():
        problem = _file_problem(expanded(rule, folder), folder / path)
        if problem:
            found.append(f"file {path}: {problem}")
    return found


def _file_problem(rule: Any, file: Path) -> str | None:
    if rule is None:
        return "must be absent, is there" if os.path.lexists(file) else None
    if isinstance(rule, dict) and "$dir" in rule:
        return (
            None
            if file.is_dir() == rule["$dir"]
            else f"directory: {rule['$dir']} expected, {file.is_dir()} found"
        )
    if not file.is_file():
        return "missing"
    content = file.read_bytes()
    if isinstance(rule, str):
        return None if content == rule.encode() else f"{rule!r} expected, {content!r} found"
    if "$prefix" in rule:
        return (
            None
            if content.startswith(rule["$prefix"].encode())
            else f"{rule['$prefix']!r} expected first, {content!r} found"
        )
    return (
        None
        if content == bytes.fromhex(rule["$bytes"])
        else f"bytes {rule['$bytes']} expected, {content.hex()} found"
    )
