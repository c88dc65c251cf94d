"""Settings files: pyproject.toml (`[tool.sabir]`), `sabir.toml`, or ini files (`[sabir]`).

The nearest file above the checked path is used, and command-line options override it. Paths that a settings file names must be
inside its directory: a project must not make sabir read or write other files of the user.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from msgspec import Struct, field

from sabir.checks.options import CheckOptions
from sabir.diagnostics.reasons import explain_error
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.source.packages import is_below

_CHECK_KEYS: Final = (
    "select",
    "ignore",
    "extend-select",
    "scope",
    "rules",
    "strict",
    "language",
    "suppressions",
    "require-reason",
    "per-path-ignores",
    "exclude",
    "search-path",
    "imports",
    "deployment",
)
_RUN_KEYS: Final = ("format", "baseline", "jobs")
_KEYS: Final = (*_CHECK_KEYS, *_RUN_KEYS)
_FLAGS: Final = frozenset({"strict", "suppressions", "require-reason"})
_TRUTHS: Final = {
    "true": True,
    "yes": True,
    "on": True,
    "1": True,
    "false": False,
    "no": False,
    "off": False,
    "0": False,
}
_INI_SUFFIXES: Final = frozenset({".ini", ".conf", ".cfg"})


class CheckSettings(Struct, frozen=True, kw_only=True):
    """The contents of a settings file. Settings that it does not contain are None or empty."""

    file: Path | None = None
    check: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Options of `CheckOptions` by name, written with `-`."""
    format: str | None = None
    baseline: Path | None = None
    jobs: int | None = None


def find_settings(start: Path) -> CheckSettings:
    """Read the settings that apply to a path: those of the nearest directory that has any.

    Directories are searched upwards from the path; the result is empty if none has settings.
    """
    place = start.absolute()
    for folder in (place, *place.parents):
        for name in ("sabir.toml", "sabir.ini"):
            if (folder / name).is_file():
                return read_settings(folder / name)
        project = folder / "pyproject.toml"
        if project.is_file() and "tool.sabir" in _read_text(project):
            return read_settings(project)
    return CheckSettings()


def read_settings(file: Path) -> CheckSettings:
    """Read the settings of one file, with its relative paths resolved against its directory.

    Raises `UsageError` that names the file for an unreadable file, an unknown key, or an invalid value.
    """
    text = _read_text(file)
    table = _ini_table(file, text) if file.suffix.lower() in _INI_SUFFIXES else _toml_table(file, text)
    unknown = [key for key in table if key not in _KEYS]
    if unknown:
        hint = did_you_mean(unknown[0], _KEYS) or f"there are {', '.join(_KEYS)}"
        raise UsageError(f"{file}: no setting {unknown[0]!r}: {hint}")
    check = {key: table[key] for key in _CHECK_KEYS if key in table}
    if "rules" in check:
        check["rules"] = [
            str(_resolve_path(file, path)) for path in CheckOptions.of({"rules": check["rules"]}).rules
        ]
    try:
        options = CheckOptions.of(check)
        _ = options.selection  # parses the codes, so that an error names the file
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    if options.search_path:
        check["search-path"] = [str(file.parent / folder) for folder in options.search_path]
    if options.imports:
        check["imports"] = [_resolve_import(file, word) for word in options.imports]
    if options.deployment is not None:
        check["deployment"] = str(file.parent / options.deployment)
    return CheckSettings(
        file=file,
        check=check,
        format=_read_value(file, table, "format", str),
        baseline=None
        if (path := _read_value(file, table, "baseline", str)) is None
        else _resolve_path(file, path),
        jobs=_read_value(file, table, "jobs", int),
    )


def _resolve_path(file: Path, path: str) -> Path:
    """Resolve a path of a settings file.

    Raises `UsageError` if it is outside the directory of the file.
    """
    whole = file.parent / path
    if not is_below(whole, file.parent):
        raise UsageError(
            f"{file}: {path!r} leads out of the folder of the settings; name it on the command line"
        )
    return whole


def _resolve_import(file: Path, word: str) -> str:
    url, equals, path = word.rpartition("=")
    if not equals or not url or not path:
        raise UsageError(f"{file}: imports {word!r}: write it as URL=PATH")
    return f"{url}={_resolve_path(file, path)}"


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8 text"
        raise UsageError(f"cannot read settings {str(file)!r}: {reason}") from error


def _toml_table(file: Path, text: str) -> Mapping[str, Any]:
    import tomllib

    try:
        data = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UsageError(f"{file}: not readable as TOML: {explain_error(error)}") from error
    table: object = data.get("tool", {}).get("sabir", {}) if file.name == "pyproject.toml" else data
    if not isinstance(table, dict):
        raise UsageError(f"{file}: tool.sabir must be a table, not {table!r}")
    return table


def _ini_table(file: Path, text: str) -> Mapping[str, Any]:
    """Return `[sabir]` of an ini file in the style of oslo.config.

    Names may contain `_` instead of `-`.
    """
    from configparser import ConfigParser
    from configparser import Error as IniError

    # [DEFAULT] holds the service's own settings, which must not be inherited by [sabir].
    parser = ConfigParser(interpolation=None, default_section="\0")
    try:
        parser.read_string(text)
    except IniError as error:
        raise UsageError(f"{file}: not readable as an ini file: {explain_error(error)}") from error
    if not parser.has_section("sabir"):
        return {}
    written = {key.replace("_", "-"): value for key, value in parser.items("sabir")}
    return {key: _ini_value(file, key, value) for key, value in written.items()}


def _ini_value(file: Path, key: str, value: str) -> object:
    if key in _FLAGS:
        if value.lower() not in _TRUTHS:
            raise UsageError(f"{file}: {key} must be true or false, not {value!r}")
        return _TRUTHS[value.lower()]
    if key == "per-path-ignores":
        pairs = (line.partition("=") for line in value.splitlines() if line.strip())
        return {pattern.strip(): codes for pattern, _, codes in pairs}
    return int(value) if key == "jobs" and value.isdecimal() else value


def _read_value(file: Path, table: Mapping[str, Any], key: str, kind: type) -> Any:
    value = table.get(key)
    if value is not None and (not isinstance(value, kind) or isinstance(value, bool)):
        wanted = "a number" if kind is int else "a text"
        raise UsageError(f"{file}: {key} must be {wanted}, not {value!r}")
    return value
