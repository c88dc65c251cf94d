"""Arguments and options that several commands share, and their turn into requests."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar

import click

from sabir.cli.terminal import say
from sabir.errors import UsageError
from sabir.graph.values import Value
from sabir.languages.language import EvaluationRequest, Language, Trust
from sabir.source.packages import LoadedPackage
from sabir.source.yaml.nodes import Data

__all__ = [
    "evaluation_options",
    "evaluation_request",
    "language_option",
    "load_with_language",
    "pairs",
    "path_argument",
]

Command = TypeVar("Command", bound=Callable[..., Any])

path_argument = click.argument("path", type=click.Path(path_type=Path))
"""PATH: a package, a module, a template or an environment. That it exists is for the loader to say, in its own words."""

language_option = click.option(
    "--language", metavar="NAME", help="Take PATH as written in this language instead of finding out."
)

_TRUST = ("python", "network", "private-network", "write-files")


def evaluation_options(command: Command) -> Command:
    """The options of every command that evaluates: `--input`, `--model`, `--search-path`, `--trust` …

    They arrive as keyword arguments; hand them all to `evaluation_request`.
    """
    options = (
        click.option(
            "--input", "inputs", multiple=True, metavar="NAME=VALUE", help="An input; VALUE is read as YAML."
        ),
        click.option(
            "--set",
            "overrides",
            multiple=True,
            metavar="INSTANCE.ATTRIBUTE=VALUE",
            help="What if: this value instead of the described one.",
        ),
        click.option("--model", type=click.Path(path_type=Path), help="A MuranoPL object model."),
        click.option("--config", type=click.Path(path_type=Path), help="Configuration of the deployment."),
        click.option(
            "--search-path",
            "search_path",
            multiple=True,
            type=click.Path(path_type=Path),
            help="A further directory with packages, modules or components; may be repeated.",
        ),
        click.option(
            "--trust",
            "trust",
            multiple=True,
            type=click.Choice(_TRUST),
            help="What the package may do beyond being read; may be repeated.",
        ),
        click.option(
            "--no-plugins", is_flag=True, help="Refuse to run the Python plug-ins of an Inmanta model."
        ),
    )
    for option in reversed(options):
        command = option(command)
    return command


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
    """The request that the options of `evaluation_options` stand for."""
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
    from sabir.source.text import Source
    from sabir.source.yaml import compose, plain_data

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
