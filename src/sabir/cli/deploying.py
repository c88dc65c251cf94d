"""Options that the commands of deployments share, and their turn into requests."""

from __future__ import annotations

import functools
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from sabir.cli.declare import flag, option
from sabir.cli.kinds import PATH
from sabir.cli.options import acting_evaluation_options, language_option

if TYPE_CHECKING:
    from sabir.languages.language import EvaluationRequest

__all__ = ["environment_options", "only_option", "wanted_options"]

_SECTION: Final = "State"
_STATE: Final = (
    option(
        "--state",
        metavar="FILE|URL",
        section=_SECTION,
        help="Where the state is: a file, or postgresql://…  [default: .sabir/state.db beside PATH]",
    ),
    option(
        "--environment",
        metavar="NAME",
        section=_SECTION,
        help="The name in the state.  [default: name in sabir.yaml, or that of PATH]",
    ),
    option(
        "--key-file",
        type=PATH,
        section=_SECTION,
        help="The key for secrets at rest.  [default: SABIR_KEY, or the file `key` beside a state file]",
    ),
)

only_option: Final = option(
    "--target",
    "only",
    multiple=True,
    metavar="NAME",
    help="Only resources on this target, or this resource, with what they need; may be repeated.",
)


def environment_options(function: Callable[..., int]) -> Callable[..., int]:
    """Where the state of PATH is; the function gets the request as `environment` and sees PATH no more."""

    @functools.wraps(function)
    def with_request(
        *,
        path: Path,
        state: str | None,
        environment: str | None,
        key_file: Path | None,
        evaluation: EvaluationRequest | None = None,
        language: str | None = None,
        here: bool = False,
        **others: Any,
    ) -> int:
        from sabir.cli.options import evaluation_request
        from sabir.operations.deploying import EnvironmentRequest

        request = EnvironmentRequest(
            path=path,
            language=language,
            evaluation=evaluation or evaluation_request(paths=[path]),
            state=state,
            environment=environment,
            key_file=key_file,
            here=here,
        )
        return function(environment=request, **others)

    for decorate in reversed(_STATE):
        decorate(with_request)
    return with_request


def wanted_options(function: Callable[..., int]) -> Callable[..., int]:
    """The same for commands that evaluate the description."""
    here = flag(
        "--here", help="Without a named target, take this machine as a whole instead of a folder of it."
    )
    return acting_evaluation_options(language_option(here(environment_options(function))))
