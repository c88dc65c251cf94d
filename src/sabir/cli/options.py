"""Arguments and options that several commands share, and their turn into requests."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Final

from sabir.cli.terminal import say
from sabir.cli.words import PATH, Option, argument, choice, flag, option
from sabir.errors import UsageError

if TYPE_CHECKING:
    from pathlib import Path

    from sabir.graph.values import Value
    from sabir.languages.language import EvaluationRequest, Language
    from sabir.source.packages import LoadedPackage
    from sabir.source.yaml.nodes import Data

__all__ = [
    "EVALUATION",
    "LANGUAGE",
    "PATH_ARGUMENT",
    "QUIET",
    "evaluation_request",
    "format_option",
    "load_with_language",
    "pairs",
]


def _languages() -> Iterable[str]:
    from sabir.plugins import LANGUAGES, plugin_names

    return plugin_names(LANGUAGES)


PATH_ARGUMENT: Final = argument("path", kind=PATH)
"""PATH: a package, a module, a template or an environment. That it exists is for the loader to say, in its own words."""

LANGUAGE: Final = option(
    "--language",
    metavar="NAME",
    proposals=_languages,
    help="Take PATH as written in this language instead of finding out.",
)

QUIET: Final = flag("-q", "--quiet", help="No progress and no warnings.")

_SECTION: Final = "Evaluation"

EVALUATION: Final = (
    option(
        "--input",
        into="inputs",
        many=True,
        metavar="NAME=VALUE",
        section=_SECTION,
        help="An input; VALUE is read as YAML.",
    ),
    option(
        "--set",
        into="overrides",
        many=True,
        metavar="INSTANCE.ATTRIBUTE=VALUE",
        section=_SECTION,
        help="What if: this value instead of the described one.",
    ),
    option("--model", kind=PATH, section=_SECTION, help="A MuranoPL object model."),
    option("--config", kind=PATH, section=_SECTION, help="Configuration of the deployment."),
    option(
        "--search-path",
        many=True,
        kind=PATH,
        section=_SECTION,
        help="A further directory with packages, modules or components; may be repeated.",
    ),
    option(
        "--trust",
        many=True,
        kind=choice("python", "network", "private-network", "write-files"),
        section=_SECTION,
        help="What the package may do beyond being read; may be repeated.",
    ),
    flag("--no-plugins", section=_SECTION, help="Refuse to run the Python plug-ins of an Inmanta model."),
)
"""The options of every command that evaluates; their values all go to `evaluation_request`."""


def format_option(*names: str, help: str) -> Option:  # noqa: A002  what it is called on every command line
    """`--format` of one of these, the first being the default."""
    return option("-f", "--format", into="format_", kind=choice(*names), default=names[0], help=help)


def evaluation_request(
    *,
    inputs: Iterable[str] = (),
    overrides: Iterable[str] = (),
    model: Path | None = None,
    config: Path | None = None,
    search_path: Iterable[Path] = (),
    trust: Iterable[str] = (),
    no_plugins: bool = False,
    full_provenance: bool = False,
) -> EvaluationRequest:
    """The request that the options EVALUATION stand for."""
    from sabir.languages.language import EvaluationRequest, Trust

    for file in (model, config):
        if file is not None and not file.exists():
            raise UsageError(f"no such path {str(file)!r}")
    allowed = {name.replace("-", "_"): True for name in trust}
    return EvaluationRequest(
        inputs=pairs(inputs, "--input"),
        overrides=pairs(overrides, "--set"),
        model=model,
        config=config,
        search_path=tuple(search_path),
        # Whoever evaluates an Inmanta model asks for its plug-ins, too: without them hardly any model says anything.
        trust=Trust(plugins=not no_plugins, **allowed),
        full_provenance=full_provenance,
        on_notice=say,
    )


def pairs(words: Iterable[str], option: str) -> dict[str, Value]:
    """`NAME=VALUE` words as a mapping; VALUE is read as YAML, so that `3` is a number and `[a, b]` a list."""
    values: dict[str, Value] = {}
    for word in words:
        name, equals, text = word.partition("=")
        if not equals or not name.strip():
            raise UsageError(f"{option} {word!r}: write it as NAME=VALUE")
        values[name.strip()] = _yaml_value(text, f"{option} {word!r}")
    return values


def _yaml_value(text: str, where: str) -> Value:
    from sabir.source.yaml import compose, plain_data
    from sabir.text import Source

    stream = compose(Source("<command line>", text))
    if stream.problems:
        raise UsageError(f"{where}: {stream.problems[0].message}")
    if len(stream.documents) > 1:
        raise UsageError(f"{where}: one value is wanted, not several documents")
    node = stream.documents[0] if stream.documents else None
    return None if node is None else _as_value(plain_data(node))


def _as_value(data: Data) -> Value:
    """Plain data as a value of the graph, whose mappings have texts as keys."""
    if isinstance(data, Mapping):
        return {str(key): _as_value(value) for key, value in data.items()}
    if isinstance(data, list):
        return [_as_value(value) for value in data]
    return data


def load_with_language(path: Path, language: str | None = None) -> tuple[LoadedPackage, Language]:
    """Load what PATH names and find its language; one clear line when either fails."""
    from sabir.operations.languages import find_language
    from sabir.source.packages import load_package

    package = load_package(path)
    return package, find_language(package, language)
