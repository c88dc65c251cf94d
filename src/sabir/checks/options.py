"""Options of a check, from the command line, a settings file, oslo.config or a Python caller."""

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
    """Options of a check.

    Lists contain rule codes (see `CodePattern`) or validators by short or long name.
    """

    select: tuple[str, ...] = ()
    """Report these codes only."""
    ignore: tuple[str, ...] = ()
    """Do not report these codes."""
    extend_select: tuple[str, ...] = ()
    """Report these codes, too: those that are off by default, or in addition to `select`."""
    scope: tuple[str, ...] = ()
    """Run these validators only."""
    strict: bool = False
    """Warnings fail the run, too."""
    rules: tuple[str, ...] = ()
    """Policy files to evaluate against the graph; requires that the package is evaluated."""
    language: str | None = None
    """Check packages as this language instead of recognizing it."""
    suppressions: bool = True
    """Apply `# sabir: ignore[…]` comments."""
    require_reason: bool = False
    """Report suppressions that give no reason (W902)."""
    per_path_ignores: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    """Codes to ignore in the files that a pattern matches: `{"Classes/legacy/*": ("W",)}`."""
    exclude: tuple[str, ...] = ()
    """Patterns of names and paths to skip in a directory of packages."""
    search_path: tuple[str, ...] = ()
    """Additional directories with packages, modules or components."""
    imports: tuple[str, ...] = ()
    """Local files to use for imports from the network: `URL=PATH`."""
    deployment: str | None = None
    """The configuration file of the deployment that a package is part of."""
    inputs: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """Inputs by name, for checks that evaluate; a settings file cannot set them."""
    overrides: Mapping[str, Any] = field(default_factory=dict[str, Any])
    """What-if values by `INSTANCE.ATTRIBUTE`; a settings file cannot set them."""
    session: Session = field(default_factory=Session)
    """The session of the check; neither a mapping nor a settings file can set it."""

    @staticmethod
    def of(options: CheckOptions | Mapping[str, Any] | None) -> CheckOptions:
        """Build options from a mapping.

        Names may contain `-` or `_`, lists may be comma-separated strings.

        Raises `UsageError` for an unknown name or a value of the wrong type.
        """
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
        """The parsed `select`, `ignore` and `extend_select`.

        Raises `UsageError` for an invalid code.
        """
        extend = self.extend_select
        if self.require_reason:
            from sabir.checks.suppression import NO_REASON  # few runs meet a suppression at all

            extend = (*extend, NO_REASON.code)
        return Selection.parse(self.select, self.ignore, extend)

    @cached_property
    def path_rules(self) -> tuple[tuple[str, tuple[CodePattern, ...]], ...]:
        """The parsed `per_path_ignores`: path patterns with the codes to ignore there."""
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
