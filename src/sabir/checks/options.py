"""The options of a check, wherever they come from: command line, settings file, oslo.config, or a caller in Python."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import Any, Final

from msgspec import Struct, field

from sabir.checks.selection import CodePattern, Selection, split_words
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UsageError
from sabir.session import Session


class CheckOptions(Struct, frozen=True, kw_only=True, dict=True):
    """How to check. Lists hold words: codes (see `CodePattern`), or validators by their short or long names."""

    select: tuple[str, ...] = ()
    """Report these codes only."""
    ignore: tuple[str, ...] = ()
    """Do not report these codes."""
    extend_select: tuple[str, ...] = ()
    """Report these codes, too: those that are off by default, or beside `select`."""
    scope: tuple[str, ...] = ()
    """Run these validators only."""
    strict: bool = False
    """Warnings fail the run, too."""
    rules: tuple[str, ...] = ()
    """Policy files that are asked of the graph; the package is evaluated for them."""
    language: str | None = None
    """Take packages as written in this language."""
    suppressions: bool = True
    """Heed `# sabir: ignore[…]` comments."""
    require_reason: bool = False
    """Report suppressions that give no reason (W902)."""
    per_path_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Codes to ignore in the files that a pattern matches: `{"Classes/legacy/*": ("W",)}`."""
    exclude: tuple[str, ...] = ()
    """Patterns of names and paths that are not looked at in a folder of packages."""
    search_path: tuple[str, ...] = ()
    """Further folders with packages, modules or components."""
    imports: tuple[str, ...] = ()
    """Files of this machine for what is imported from the network: `URL=PATH`."""
    deployment: str | None = None
    """The file with the configuration of the deployment, where a package is checked as part of one."""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Inputs by name, where a check evaluates; no settings file gives them."""
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What-if values by `INSTANCE.ATTRIBUTE`; likewise."""
    session: Session = field(default_factory=Session)
    """What surrounds the check; it is no option that a mapping or a settings file could give."""

    @staticmethod
    def of(options: CheckOptions | Mapping[str, Any] | None) -> CheckOptions:
        """Options from a mapping; names may be written with `-` or `_`, lists as comma-separated text."""
        if isinstance(options, CheckOptions):
            return options
        values: dict[str, Any] = {}
        for key, value in (options or {}).items():
            name = key.replace("-", "_")
            if name not in _NAMES:
                shown = [option.replace("_", "-") for option in _NAMES]
                hint = did_you_mean(key, shown)
                raise UsageError(f"no option {key!r}: " + (hint or f"there are {', '.join(shown)}"))
            if value is not None:
                values[name] = _convert_option(key, value, getattr(_DEFAULTS, name))
        return CheckOptions(**values)

    @cached_property
    def selection(self) -> Selection:
        extend = self.extend_select
        if self.require_reason:
            from sabir.checks.suppression import NO_REASON  # few runs meet a suppression at all

            extend = (*extend, NO_REASON.code)
        return Selection.parse(self.select, self.ignore, extend)

    @cached_property
    def path_rules(self) -> tuple[tuple[str, tuple[CodePattern, ...]], ...]:
        return tuple(
            (pattern, tuple(map(CodePattern.parse, split_words(codes))))
            for pattern, codes in self.per_path_ignores.items()
        )


_OF_THE_CALLER: Final = ("session", "inputs", "overrides")
_NAMES: Final = tuple(name for name in CheckOptions.__struct_fields__ if name not in _OF_THE_CALLER)
_DEFAULTS: Final = CheckOptions()


def _convert_option(key: str, value: Any, default: object) -> object:
    if isinstance(default, bool):
        if not isinstance(value, bool):
            raise UsageError(f"{key} must be true or false, not {value!r}")
        return value
    if isinstance(default, tuple):
        return _parse_list(key, value)
    if isinstance(default, Mapping):
        if not isinstance(value, Mapping):
            raise UsageError(f"{key} must be a table of path patterns, not {value!r}")
        return {str(pattern): _parse_list(f"{key} {pattern!r}", codes) for pattern, codes in value.items()}
    if not isinstance(value, str):
        raise UsageError(f"{key} must be a text, not {value!r}")
    return value


def _parse_list(key: str, value: Any) -> tuple[str, ...]:
    texts = [value] if isinstance(value, str) else value
    if not isinstance(texts, Iterable) or not all(isinstance(text, str) for text in texts):
        raise UsageError(f"{key} must be a list of texts, not {value!r}")
    return split_words(texts)
