"""A language for tests: one file `main.toy`.

host web                     an instance `web` of the type `host`
  ip = 10.0.0.1              an attribute
  url = http:// $web.ip /    words joined; `$instance.attribute` reads another
  password ! hush            a sensitive attribute
  > db                       a relation `uses`
warn some words              a warning
fail some words              an error
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.graph import AttributeRead, Graph, How, Instance, Origin, Record, Sensitive, Value
from sabir.languages.language import Evaluation, EvaluationRequest, Language, Renderer
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Span

__all__ = ["TOY", "ToyLanguage"]


class _Draft:
    def __init__(self, kind: str, name: str, origin: Origin) -> None:
        self.kind, self.name, self.origin = kind, name, origin
        self.attributes: dict[str, Value] = {}
        self.origins: dict[str, Origin] = {}
        self.uses: list[str] = []


class ToyLanguage:
    name = "toy"
    evaluates_when_checked = False

    def recognises(self, package: LoadedPackage) -> bool:
        return package.exists("main.toy")

    def rules(self) -> Sequence[Rule]:
        return ()

    def validators(self) -> Sequence[type[BaseValidator]]:
        return ()

    def renderers(self) -> Mapping[str, Renderer]:
        return {}

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        file = package.get_file("main.toy")
        assert file is not None
        drafts: dict[str, _Draft] = {}
        findings: list[Finding] = []
        current: _Draft | None = None
        for number, line in enumerate(file.source.text.splitlines(), 1):
            if request.on_progress is not None:
                request.on_progress(f"line {number}")
            words = line.split()
            start = file.source.offset(number, 1 + len(line) - len(line.lstrip()))
            place = Place(file.source, Span(start, start + len(line.strip())))
            match words:
                case ["warn" | "fail" as kind, *rest]:
                    code = "TOY:W001" if kind == "warn" else "TOY:E001"
                    findings.append(Finding(code=code, message=" ".join(rest), place=place, hint="mend it"))
                case [">", target] if current is not None:
                    current.uses.append(target)
                    current.origins["uses"] = Origin(place, How.RELATION)
                case [name, "!", *rest] if current is not None:
                    current.attributes[name] = Sensitive("".join(rest))
                    current.origins[name] = Origin(place, How.LITERAL)
                case [name, "=", *rest] if current is not None:
                    reads = [word[1:].split(".") for word in rest if word.startswith("$")]
                    value = "".join(self._word(word, drafts) for word in rest)
                    sources = tuple(AttributeRead(instance, attribute) for instance, attribute in reads)
                    current.attributes[name] = value
                    current.origins[name] = Origin(
                        place,
                        How.EXPRESSION if reads else How.LITERAL,
                        sources if request.full_provenance else (),
                    )
                case [kind, name]:
                    current = drafts[name] = _Draft(kind, name, Origin(place, How.CONSTRUCTOR))
                case _:
                    pass
        return Evaluation(graph=Graph(map(_instance, drafts.values())), findings=tuple(findings))

    def _word(self, word: str, drafts: Mapping[str, _Draft]) -> str:
        if not word.startswith("$"):
            return word
        instance, attribute = word[1:].split(".")
        return str(drafts[instance].attributes.get(attribute, "?"))


def _instance(draft: _Draft) -> Instance:
    return Instance(
        id=draft.name,
        type=draft.kind,
        language="toy",
        name=draft.name,
        attributes=Record.of(draft.attributes),
        relations=Record.of({"uses": tuple(draft.uses)} if draft.uses else {}),
        origin=draft.origin,
        origins=Record.of(draft.origins),
    )


TOY: Language = ToyLanguage()
