"""Arguments and options that several commands share, and their turn into requests."""

from __future__ import annotations

import functools
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Literal, TypeVar

import click

from sabir.cli.declare import argument, flag, option, usage_line
from sabir.cli.parameter_types import PATH, PATH_TEXT, SuggestedText, WordChoice, parse_pairs, parse_values
from sabir.cli.session_options import command_session, limits_option, trust_option
from sabir.cli.terminal import print_status
from sabir.errors import UsageError

if TYPE_CHECKING:
    from sabir.graph.graph import Graph
    from sabir.languages.language import EvaluationRequest


F = TypeVar("F", bound=Callable[..., Any])


def _list_languages() -> Iterable[str]:
    from sabir.plugins import LANGUAGES, plugin_names

    return plugin_names(LANGUAGES)


_HERE: Final = Path(".")

path_argument: Final = argument("path", type=PATH, metavar="[PATH]", required=False, default=_HERE)
"""PATH: a package, a module, a template or an environment; without one, what is in this folder."""


def path_and(
    name: str, metavar: str, *, optional: bool = False
) -> Callable[[Callable[..., int]], Callable[..., int]]:
    """`[PATH] WORD`: two words, or the second alone about what is in this folder; `optional`: or none."""

    def decorate(function: Callable[..., int]) -> Callable[..., int]:
        @functools.wraps(function)
        def with_both(*, words: tuple[str, ...], **others: Any) -> int:
            ctx = click.get_current_context()
            if len(words) > 2:
                ctx.fail(f"{words[2]!r} is a word too many: {usage_line(ctx)}")
            if not words or (len(words) == 1 and _names_a_package(words[0])):
                if optional:
                    return function(path=Path(words[0]) if words else _HERE, **{name: None}, **others)
                ctx.fail(f"{metavar} is missing: {usage_line(ctx)}")
            path = Path(words[0]) if len(words) == 2 else _HERE
            return function(path=path, **{name: words[-1]}, **others)

        return argument("words", metavar=f"[PATH] {metavar}", type=PATH_TEXT, nargs=-1)(with_both)

    return decorate


def _names_a_package(word: str) -> bool:
    """Whether a single word is the PATH, and what is asked of it was forgotten."""
    return ("/" in word and os.path.exists(word)) or os.path.isdir(word)


language_option: Final = option(
    "--language",
    metavar="NAME",
    type=SuggestedText(_list_languages),
    help="Take PATH as written in this language instead of finding out.",
)

quiet_option: Final = flag("-q", "--quiet", help="No progress and no warnings.")


def format_option(*names: str, help: str) -> Callable[[F], F]:  # noqa: A002  what it is called on every command line
    """`--format` of one of these, the first being the default."""
    return option("-f", "--format", "format_", type=WordChoice(*names), default=names[0], help=help)


def render_output_option(contents: str) -> Callable[[F], F]:
    """`-o` of commands that write for other tools; `contents` is what a directory gets."""
    return option(
        "-o",
        "--output",
        type=PATH_TEXT,
        metavar="FILE|DIR/",
        help=f"Write to FILE, or {contents} to the directory DIR (ends in / or exists). Default: stdout.",
    )


_SECTION: Final = "Evaluation"
_PATHS: Final = ("path", "before", "after")
"""The arguments of commands that name what is evaluated."""
_EVALUATION: Final = (
    option(
        "--input",
        "inputs",
        multiple=True,
        metavar="NAME=VALUE|FILE",
        section=_SECTION,
        help="An input, VALUE read as YAML; or a YAML file of inputs. May be repeated.",
    ),
    option(
        "--set",
        "overrides",
        multiple=True,
        metavar="INSTANCE.ATTRIBUTE=VALUE",
        section=_SECTION,
        help="What if: this value instead of the described one.",
    ),
    option("--model", type=PATH, section=_SECTION, help="A MuranoPL object model."),
    option("--config", type=PATH, section=_SECTION, help="Configuration of the deployment."),
    option(
        "--search-path",
        multiple=True,
        type=PATH,
        section=_SECTION,
        help="A further directory with packages, modules or components; may be repeated.",
    ),
    option(
        "--import",
        "imports",
        multiple=True,
        metavar="URL=PATH",
        section=_SECTION,
        help="The copy on this machine of what TOSCA imports from URL; folders when both end in /. May be repeated.",
    ),
    option(
        "--core-library",
        type=PATH,
        section=_SECTION,
        help="A core library of MuranoPL (a folder with io.murano) in place of the one that comes along.",
    ),
    option(
        "--std",
        type=WordChoice("ours", "installed"),
        default="ours",
        section=_SECTION,
        help="The module std of an Inmanta model: the one that comes along, or the installed one.",
    ),
    trust_option(section=_SECTION),
    limits_option(section=_SECTION),
)


def package_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of commands that evaluate one package of MuranoPL: `search_path` and `limits`."""
    further = option(
        "--search-path",
        multiple=True,
        type=PATH,
        help="A further directory with packages; may be repeated.",
    )
    return further(limits_option(section=_SECTION)(function))


def evaluation_options(function: Callable[..., int]) -> Callable[..., int]:
    """The options of every command that evaluates, and does so within limits; the function gets the request they stand for
    as `evaluation`."""

    @functools.wraps(function)
    def guarded(*, evaluation: EvaluationRequest, **others: Any) -> int:
        from sabir.operations.limits import enforce_limits

        with enforce_limits(
            evaluation.session.limits, ", ".join(path.name or str(path) for path in _collect_paths(others))
        ):
            return function(evaluation=evaluation, **others)

    return deploy_evaluation_options(guarded)


def deploy_evaluation_options(function: Callable[..., int]) -> Callable[..., int]:
    """The same for a command that also acts: only what it evaluates is held to limits, by the operation. A deployment must
    not be cut off by them, nor may the processes that it starts inherit any."""

    @functools.wraps(function)
    def with_request(
        *,
        inputs: tuple[str, ...],
        overrides: tuple[str, ...],
        model: Path | None,
        config: Path | None,
        search_path: tuple[Path, ...],
        imports: tuple[str, ...],
        core_library: Path | None,
        std: Literal["ours", "installed"],
        trust: tuple[str, ...],
        limits: tuple[tuple[str, str], ...],
        **others: Any,
    ) -> int:
        request = evaluation_request(
            inputs=inputs,
            overrides=overrides,
            model=model,
            config=config,
            search_path=search_path,
            imports=imports,
            core_library=core_library,
            std=std,
            trust=trust,
            paths=_collect_paths(others),
            limits=limits,
        )
        return function(evaluation=request, **others)

    for decorate in reversed(_EVALUATION):
        decorate(with_request)
    return with_request


def _collect_paths(words: Mapping[str, Any]) -> list[Path]:
    return [words[name] for name in _PATHS if words.get(name) is not None]


def evaluation_request(
    *,
    inputs: Iterable[str] = (),
    overrides: Iterable[str] = (),
    model: Path | None = None,
    config: Path | None = None,
    search_path: Iterable[Path] = (),
    imports: Iterable[str] = (),
    core_library: Path | None = None,
    std: Literal["ours", "installed"] = "ours",
    trust: Iterable[str] = (),
    paths: Sequence[Path] = (),
    limits: Iterable[tuple[str, str]] = (),
) -> EvaluationRequest:
    """The request that the words of these options stand for."""
    from sabir.languages.language import EvaluationRequest

    for file in (model, config, core_library):
        if file is not None and not file.exists():
            raise UsageError(f"no such path {str(file)!r}")
    session = command_session(trust, paths, limits)

    def reach(path: Path) -> Graph:
        from sabir.operations.deployment.stored_request import load_deployed_graph

        return load_deployed_graph(path, session)

    return EvaluationRequest(
        reach=reach,
        inputs=parse_values(inputs, "--input"),
        overrides=parse_pairs(overrides, "--set"),
        model=model,
        config=config,
        search_path=tuple(search_path),
        imports=tuple(imports),
        core_library=core_library,
        std=std,
        session=session,
        on_notice=print_status,
    )
