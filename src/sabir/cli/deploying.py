"""Options that the commands of deployments share, and their turn into requests."""

from __future__ import annotations

import functools
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

from msgspec import Struct

from sabir.cli.declare import flag, option
from sabir.cli.options import deploy_evaluation_options, format_option, language_option, quiet_option
from sabir.cli.parameter_types import PATH, Number

if TYPE_CHECKING:
    from contextlib import AbstractContextManager

    from sabir.languages.language import EvaluationRequest


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

_DOING: Final = (
    flag("-y", "--yes", help="Do not ask."),
    option("--parallel", type=Number(int, least=1), default=10, help="How many steps may run at once."),
    option(
        "--wait",
        type=Number(float, least=0),
        default=0.0,
        help="Seconds to wait for another deployment of it.",
    ),
    format_option("text", "json", help="Progress for people, or one JSON event a line."),
    quiet_option,
)

allow_delete_option: Final = option(
    "--allow-delete", metavar="N|all", help="Consent to so many deletions, when they are more than a fifth."
)

argument_option: Final = option(
    "--arg",
    "args",
    multiple=True,
    metavar="NAME=VALUE|FILE",
    help="An argument, VALUE read as YAML; or a YAML file of arguments. May be repeated.",
)

at_option: Final = option(
    "--at",
    metavar="N",
    type=Number(int, least=1),
    section=_SECTION,
    help="What deployment N was asked for, instead of what is described now.",
)

only_option: Final = option(
    "--target",
    "only",
    multiple=True,
    metavar="NAME",
    help="Only resources on this target, or this resource, with what they need; may be repeated.",
)


class EvaluationInput(NamedTuple):
    """What is to be evaluated, completed by what is remembered of it."""

    path: Path
    language: str | None
    evaluation: EvaluationRequest


class StateResolver(Protocol):
    """Completes a request by what is remembered of PATH: its path, language and evaluation."""

    def __call__(
        self, path: Path, evaluation: EvaluationRequest, language: str | None, at: int | None = None, /
    ) -> AbstractContextManager[EvaluationInput]: ...


class ExecutionFlags(Struct, frozen=True, kw_only=True):
    """What was said on the command line about how a plan is done."""

    yes: bool = False
    parallel: int = 10
    wait: float = 0.0
    format_: str = "text"
    quiet: bool = False


def execution_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that does a plan; the function gets them as `words`."""

    @functools.wraps(function)
    def with_words(*, yes: bool, parallel: int, wait: float, format_: str, quiet: bool, **others: Any) -> int:
        words = ExecutionFlags(yes=yes, parallel=parallel, wait=wait, format_=format_, quiet=quiet)
        return function(words=words, **others)

    for decorate in reversed(_DOING):
        decorate(with_words)
    return with_words


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
        executor: str | None = None,
        **others: Any,
    ) -> int:
        from sabir.cli.options import evaluation_request
        from sabir.operations.deployment.environment import EnvironmentRequest

        request = EnvironmentRequest(
            path=path,
            language=language,
            evaluation=evaluation or evaluation_request(paths=[path]),
            state=state,
            environment=environment,
            key_file=key_file,
            here=here,
            executor=executor,
        )
        return function(environment=request, **others)

    for decorate in reversed(_STATE):
        decorate(with_request)
    return with_request


def state_options(function: Callable[..., int]) -> Callable[..., int]:
    """Where the state of PATH is, for commands that only ask: they get `remembered`, which completes a request by it.

    What was observed is known to the evaluation then, and `--at N` asks about the past.
    """

    @functools.wraps(function)
    def with_state(
        *, state: str | None, environment: str | None, key_file: Path | None, no_state: bool, **others: Any
    ) -> int:
        @contextmanager
        def remembered(
            path: Path, evaluation: EvaluationRequest, language: str | None, at: int | None = None, /
        ) -> Generator[EvaluationInput]:
            beside = (path if path.is_dir() else path.parent) / ".sabir" / "state.db"
            if at is None and (no_state or (state is None and not beside.is_file())):
                yield EvaluationInput(path, language, evaluation)
                return
            from sabir.operations.deployment.environment import EnvironmentRequest
            from sabir.operations.deployment.stored_request import restore_request

            request = EnvironmentRequest(
                path=path,
                language=language,
                evaluation=evaluation,
                state=state,
                environment=environment,
                key_file=key_file,
            )
            with restore_request(request, at) as known:
                yield EvaluationInput(known.path, known.language, known.evaluation)

        return function(remembered=remembered, **others)

    flag("--no-state", section=_SECTION, help="Do not look at what was deployed.")(with_state)
    for decorate in reversed(_STATE):
        decorate(with_state)
    return with_state


def project_options(function: Callable[..., int]) -> Callable[..., int]:
    """The same for commands that evaluate the description."""
    here = flag(
        "--here", help="Without a named target, take this machine as a whole instead of a folder of it."
    )
    executor = option(
        "--executor",
        metavar="URL",
        help="Workers that reach the targets: dask://HOST:PORT, or dask+tls://HOST:PORT.  [default: this process]",
    )
    return deploy_evaluation_options(language_option(here(executor(environment_options(function)))))
