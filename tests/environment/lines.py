"""A language for tests of environments: a file `*.lines`, each line `instance.attribute = text`.

`{name}` in the text is an input, `{name:length}` says whether it is short or long. A line `broken` is an error, a line
`refuse NAME` does not take an input.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.errors import UsageError
from sabir.graph import Graph, How, Instance, Origin, Record, Value
from sabir.languages.language import Evaluation, EvaluationRequest, Renderer, RenderOutput, RenderRequest
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Span

__all__ = ["LINES", "Lines"]

_INPUT = re.compile(r"\{(\w+)(?::(length))?\}")
_LONG = 10


class Lines:
    name = "lines"
    evaluates_when_checked = False

    def recognises(self, package: LoadedPackage) -> bool:
        return any(name.endswith(".lines") for name in package.list())

    def rules(self) -> Sequence[Rule]:
        return ()

    def validators(self) -> Sequence[type[BaseValidator]]:
        return ()

    def renderers(self) -> Mapping[str, Renderer]:
        return {"lines": _render}

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        found: dict[str, dict[str, Value]] = {}
        origins: dict[str, dict[str, Origin]] = {}
        findings: list[Finding] = []
        for name in package.list():
            file = package.get_file(name)
            assert file is not None
            offset = 0
            for line in file.source.text.splitlines(keepends=True):
                place = Place(file.source, Span(offset, offset + len(line.rstrip())))
                offset += len(line)
                if line.strip() == "broken":
                    findings.append(Finding(code="LIN:E001", message="broken", place=place))
                    continue
                if line.startswith("refuse "):
                    raise UsageError(f"there is no input {line.split()[1]!r}")
                if not line.strip():
                    continue
                target, _, text = line.partition("=")
                instance, _, attribute = target.strip().partition(".")
                names = [name for name, _ in _INPUT.findall(text)]
                sources = tuple(
                    request.input_origins.get(one) or Origin(place, How.INPUT, note=one) for one in names
                )
                value = _INPUT.sub(
                    lambda match: _shown(request.inputs.get(match[1], ""), match), text.strip()
                )
                found.setdefault(instance, {})[attribute] = value
                origins.setdefault(instance, {})[attribute] = Origin(place, How.EXPRESSION, sources)
        return Evaluation(
            graph=Graph(
                Instance(
                    id=name,
                    type="line",
                    language="lines",
                    name=name,
                    attributes=Record.of(values),
                    origin=next(iter(origins[name].values())),
                    origins=Record.of(origins[name]),
                )
                for name, values in found.items()
            ),
            findings=tuple(findings),
        )


def _shown(value: Value, match: re.Match[str]) -> str:
    text = str(value)
    if match[2]:
        return "long" if len(text) > _LONG else "short"
    return text


def _render(package: LoadedPackage, request: EvaluationRequest, render: RenderRequest, /) -> RenderOutput:
    del render
    graph = LINES.evaluate(package, request).graph
    return RenderOutput(files={f"{one.name}.txt": f"{dict(one.attributes)}\n" for one in graph})


LINES = Lines()
