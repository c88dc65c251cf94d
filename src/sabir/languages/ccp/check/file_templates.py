"""File templates: names that are known neither here nor in the container, and files that are too large."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final

from sabir.diagnostics.near import did_you_mean
from sabir.diagnostics.rules import Rule
from sabir.expressions.template.sandbox import is_template
from sabir.languages.ccp.model.topology import node_configs
from sabir.languages.ccp.model.units import Units
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.examples import example
from sabir.languages.ccp.syntax.fault import Fault, fault
from sabir.languages.ccp.syntax.nodes import Definition
from sabir.source.packages import PackageFile
from sabir.text import Place, Source, Span

__all__ = ["check_file_templates"]

FILE_TEMPLATE: Final = Rule(
    code="CCP:W030",
    title="template of a file cannot be rendered as it stands",
    why=(
        "Files are rendered inside the container, where more names are known than here; this one is known neither here "
        "nor there, so the container would fail to start."
    ),
    bad=example(
        daemon="files: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.conf.j2}",
        service__files__web_dot_conf_dot_j2="port = {{ wep.port }}\n",
    ),
    good=example(),
    language="ccp",
)

TOO_LARGE: Final = Rule(
    code="CCP:W033",
    title="files too large for a ConfigMap",
    why="Kubernetes refuses a ConfigMap of more than one mebibyte. Put large files into the image.",
    bad=example(
        daemon="files: [big]",
        tail="files:\n  big: {path: /big, content: big.txt}",
        service__files__big_dot_txt="x" * 1_100_000,
    ),
    good=example(),
    language="ccp",
)

_LARGEST: Final = 1_048_576
_RUNNER_NAMES: Final = frozenset(
    [
        "address",
        "raise_exception",
        "role_name",
        "service_name",
        "node_name",
        "pod_name",
        "network_topology",
        "memory_limit",
        "cpu_limit",
    ]
)


def check_file_templates(deployment: Deployment, units: Units) -> Iterator[Fault]:
    known = {*deployment.variables, *_RUNNER_NAMES}
    for configs in node_configs(deployment.configuration).values():
        known |= set(configs)
    for component in deployment.components:
        known |= {name.rpartition(".")[0] for name in component.exports}
    for definition in deployment.definitions:
        names = {name for unit in units.of_service(definition.service.name) for name in unit.files}
        component = deployment.component(definition.component)
        contents = {
            name: content
            for name in sorted(names)
            if (content := component.content(definition.files[name].content)) is not None
        }
        for content in contents.values():
            yield from _undefined(content, known | set(definition.configs))
        yield from _too_large(definition, contents)


def _undefined(content: PackageFile, known: set[str]) -> Iterator[Fault]:
    source = content.source
    if not is_template(source.text):
        return
    message, line, names = _template_names(source.text)
    if message is not None:
        place = _line(source, line)
        text = f"the file is not readable as a Jinja2 template: {message}"
        yield fault(FILE_TEMPLATE, "", place, text)
    for name, line in names:
        if name not in known:
            yield fault(
                FILE_TEMPLATE,
                "",
                _word(source, line, name),
                f"the file uses {name!r}, which is defined neither here nor in the container",
                hint=did_you_mean(name, known),
            )


@lru_cache(maxsize=4096)
def _template_names(text: str) -> tuple[str | None, int, tuple[tuple[str, int], ...]]:
    """What is wrong with the template, and the names it takes from outside with the line of their first use."""
    from jinja2 import Environment, TemplateError, TemplateSyntaxError, meta, nodes

    environment = Environment()  # only parsed here, never run
    environment.filters.update(dict.fromkeys(("host", "hostname", "gethostbyname"), str))
    try:
        tree = environment.parse(text)
        wanted = meta.find_undeclared_variables(tree)
    except TemplateSyntaxError as error:
        return error.message or "syntax error", error.lineno, ()
    except (TemplateError, RecursionError) as error:
        return str(error) or "nested too deeply", 1, ()
    guarded = _guarded(tree)
    first: dict[str, int] = {}
    for node in tree.find_all(nodes.Name):
        if node.name in wanted and node.name not in guarded:
            first.setdefault(node.name, node.lineno)
    return None, 1, tuple(first.items())


def _guarded(tree: object) -> set[str]:
    """Names that the template itself asks about: `x is defined`, `x|default(…)`."""
    from jinja2 import nodes

    assert isinstance(tree, nodes.Template)
    tests = [one.node for one in tree.find_all(nodes.Test) if one.name in ("defined", "undefined")]
    filters = [one.node for one in tree.find_all(nodes.Filter) if one.name in ("default", "d")]
    return {node.name for node in (*tests, *filters) if isinstance(node, nodes.Name)}


def _line(source: Source, line: int) -> Place:
    start = source.offset(line)
    return Place(source, Span(start, start + len(source.line_text(line))))


def _word(source: Source, line: int, word: str) -> Place:
    start = source.offset(line)
    found = source.text.find(word, start)
    found = start if found < 0 else found
    return Place(source, Span(found, found + len(word)))


def _too_large(definition: Definition, contents: dict[str, PackageFile]) -> Iterator[Fault]:
    size = sum(len(content.raw()) for content in contents.values())
    if size > _LARGEST:
        largest = max(contents, key=lambda name: len(contents[name].raw()))
        message = f"the files of {definition.service.name!r} are {size:,} bytes together; a ConfigMap holds {_LARGEST:,}"
        yield fault(
            TOO_LARGE,
            f"files.{largest}",
            definition.files[largest].place,
            message,
            hint=f"{largest!r} is the largest",
        )
