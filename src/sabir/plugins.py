"""Plugins: what installed distributions provide under the entry point groups of sabir.

    sabir.languages     one `Language` object each
    sabir.validators    third-party `BaseValidator` classes
    sabir.formatters    functions that write a report
    sabir.secrets       one `SecretProvider` object each: resolves references to secrets
    sabir.drivers       one `Driver` object each: reads and changes resources of some kinds

The bundled plugins use the same entry points as third-party ones. stevedore loads them (spec 001, "Extensions"), but
importing it reads half of the standard library. As long as no other distribution has entry points in a group, sabir
reads its own few lines directly, which keeps `sabir check` quick to start. `importlib.metadata` instead of the scan
below would add 131 million instructions (import and one `entry_points()`, 110 distributions) to the 1216 million of a
check of one MuranoPL package.
"""

from __future__ import annotations

import os
import sys
from functools import cache
from importlib import import_module
from typing import Final

from msgspec import Struct, field

from sabir.diagnostics.reasons import error_text
from sabir.errors import PluginError

LANGUAGES: Final = "sabir.languages"
VALIDATORS: Final = "sabir.validators"
FORMATTERS: Final = "sabir.formatters"
DRIVERS: Final = "sabir.drivers"
SECRETS: Final = "sabir.secrets"

_SABIR: Final = "sabir"


class PluginFailure(Struct, frozen=True, kw_only=True):
    """An entry point that could not be loaded, and the reason."""

    group: str
    name: str
    reason: str

    def __str__(self) -> str:
        return f"plug-in {self.name!r} of {self.group} cannot be loaded: {self.reason}"


class Plugins(Struct, frozen=True, kw_only=True):
    """The plugins of a group by name, sorted, and those that failed to load."""

    loaded: dict[str, object]
    failures: tuple[PluginFailure, ...] = ()


class _Scan(Struct):
    """Entry points by group as the metadata on a path declares them.

    `ours` are those of sabir itself; `foreign` names the groups in which another distribution has some.
    """

    ours: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    foreign: set[str] = field(default_factory=set[str])
    sure: bool = True
    """False when an entry of the path is not a directory, for example a zip file: only importlib.metadata can read it."""


def load_plugins(group: str) -> Plugins:
    """Load all plugins of an entry point group, once per value of `sys.path`."""
    return _load_group(group, tuple(sys.path))


@cache
def _load_group(group: str, path: tuple[str, ...]) -> Plugins:
    ours = _only_ours(group, path)
    return _load_all(group) if ours is None else _load_ours(group, ours)


def load_plugin(group: str, name: str) -> object:
    """Load one plugin by its name; raise `PluginError` with the reason when that fails.

    A bundled plugin is loaded without the others of its group.
    """
    ours = _only_ours(group, tuple(sys.path))
    plugins = (
        load_plugins(group) if ours is None else _load_ours(group, {name: ours[name]} if name in ours else {})
    )
    if name in plugins.loaded:
        return plugins.loaded[name]
    failure = next((failure for failure in plugins.failures if failure.name == name), None)
    raise PluginError(str(failure) if failure else f"no plug-in {name!r} in {group}")


def plugin_names(group: str) -> tuple[str, ...]:
    """Return the sorted names of a group, including plugins that fail to load. Bundled plugins are not loaded for that."""
    ours = _only_ours(group, tuple(sys.path))
    if ours is not None:
        return tuple(sorted(ours))
    plugins = load_plugins(group)
    return tuple(sorted({*plugins.loaded, *(failure.name for failure in plugins.failures)}))


def _only_ours(group: str, path: tuple[str, ...]) -> dict[str, str] | None:
    """Return the bundled entry points of a group, or None when another distribution has some, too."""
    scan = _scan_path(path)
    return scan.ours.get(group, {}) if scan.sure and group not in scan.foreign else None


def _load_ours(group: str, declared: dict[str, str]) -> Plugins:
    loaded: dict[str, object] = {}
    failures: list[PluginFailure] = []
    for name, target in sorted(declared.items()):
        module, _, attribute = target.partition(":")
        try:
            loaded[name] = getattr(import_module(module), attribute)
        except Exception as error:  # noqa: BLE001  whatever a plug-in raises is its failure, not ours
            failures.append(PluginFailure(group=group, name=name, reason=_failure_reason(error)))
    return Plugins(loaded=loaded, failures=tuple(failures))


def _load_all(group: str) -> Plugins:
    from stevedore import ExtensionManager

    failures: list[PluginFailure] = []
    # stevedore caches a group for the life of the process, but `sys.path` may have grown since.
    ExtensionManager.ENTRY_POINT_CACHE.pop(group, None)

    def note(_manager: object, entry_point: object, error: BaseException) -> None:
        name = str(getattr(entry_point, "name", entry_point))
        failures.append(PluginFailure(group=group, name=name, reason=_failure_reason(error)))

    manager: ExtensionManager[object] = ExtensionManager(
        group, invoke_on_load=False, on_load_failure_callback=note
    )
    loaded: dict[str, object] = {extension.name: extension.plugin for extension in manager}
    failures.sort(key=lambda failure: failure.name)
    return Plugins(loaded=dict(sorted(loaded.items())), failures=tuple(failures))


def _failure_reason(error: BaseException) -> str:
    return f"{type(error).__name__}: {error_text(error)}".split("\n", 1)[0]


@cache
def _scan_path(path: tuple[str, ...]) -> _Scan:
    scan = _Scan()
    for folder in dict.fromkeys(path):
        try:
            entries = os.scandir(folder or ".")
        except NotADirectoryError:
            scan.sure = False
            continue
        except OSError:
            continue
        with entries:
            for entry in entries:
                if entry.name.endswith((".dist-info", ".egg-info")):
                    _read_entry_points(scan, entry)
    return scan


def _read_entry_points(scan: _Scan, entry: os.DirEntry[str]) -> None:
    try:
        with open(os.path.join(entry.path, "entry_points.txt"), encoding="utf-8") as file:
            text = file.read()
    except OSError:
        return
    if "[sabir." not in text:
        return
    is_ours = entry.name.partition("-")[0].lower() == _SABIR
    group: dict[str, str] = {}
    for line in text.splitlines():
        line = line.strip()
        if line.startswith("["):
            name = line.strip("[] ")
            group = scan.ours.setdefault(name, {}) if is_ours else {}
            if not is_ours:
                scan.foreign.add(name)
        elif "=" in line and not line.startswith(("#", ";")):
            key, _, value = line.partition("=")
            group.setdefault(key.strip(), value.strip())
