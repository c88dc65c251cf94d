"""An open project, with what is known of it: names, findings, values.

Three kinds of findings are known, from the quickest to the most expensive: those of the checks of the typed file alone (after every
key), those of all checks, and those of an evaluation (when nobody types for a moment). What only the slower ones say stays shown while somebody types elsewhere, and goes when its line is touched.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from pathlib import Path

from sabir.diagnostics.finding import Finding, Severity
from sabir.graph.graph import Graph
from sabir.operations.editor.index import NameIndex
from sabir.operations.editor.project import EditorProject
from sabir.operations.editor.values import EvaluatedProject, LineShift
from sabir.source.packages.views import EditedPackage
from sabir.text import Source


class EditorWorkspace:
    """A project and its findings by file. `environment`: the desk of the environment that it is a part of."""

    def __init__(self, project: EditorProject, environment: EditorWorkspace | None = None) -> None:
        self.project = project
        self.environment = environment
        self.index = NameIndex(project)
        self.open: dict[str, str] = {}
        """URIs of the files that are open in an editor, by name."""
        self._evaluated: EvaluatedProject | None = None
        self._named: Graph | None = None
        self._saved: dict[str, str] = {}
        """The texts that were evaluated, by the name of their file."""
        self._quick: dict[str, tuple[Finding, ...]] = {}
        self._checked: Mapping[str, list[Finding]] = {}
        self._at_check: dict[str, frozenset[tuple[str, str]]] = {}
        """What the quick checks said of a file when all checks ran: what these said beyond it stays."""

    # Texts

    def edit(self, name: str, text: str) -> None:
        """Somebody typed: the file has this text now, also for the environment that it is a part of."""
        self.project.edit(name, text)
        if self.environment is not None:
            self.environment.project.edit(self.name_in_values(name), text)

    def texts(self) -> dict[str, str]:
        """What is typed and not yet saved, or just saved, by name."""
        package = self.project.package
        edited = package.edited if isinstance(package, EditedPackage) else {}
        return {name: file.source.text for name, file in edited.items()}

    # Findings

    @property
    def is_checked(self) -> bool:
        """Whether the checks of the package itself say anything of use. Those of an environment evaluate all of its parts, and a
        part that its environment configures is not complete: these two are judged by the evaluation alone."""
        environment = None if self.environment is None else self.environment.project
        return not self.project.is_environment and not (environment and environment.configures(self.project))

    def check_quickly(self, name: str) -> None:
        findings = self.project.findings_of(name) if self.is_checked else self.project.policy_findings(name)
        if findings is None:
            self._quick.pop(name, None)
        else:
            self._quick[name] = findings

    def store_findings(self, findings: Iterable[Finding]) -> None:
        """All checks have run."""
        self._checked = _by_file(findings)
        self._at_check = {name: _collect_messages(self._quick.get(name, ())) for name in self._checked}

    def findings(self, name: str) -> list[Finding]:
        """What is to be shown of a file."""
        checked = self._checked.get(name, [])
        quick = self._quick.get(name)
        if quick is None:
            shown = [*checked]
        else:
            repeated = self._at_check.get(name, frozenset()) | _collect_messages(quick)
            beyond = [finding for finding in checked if _finding_message(finding) not in repeated]
            shown = [*quick, *self._still_there(name, beyond)]
        said = {_finding_location(finding) for finding in shown}
        evaluated = self._still_there(name, self._of_evaluation(name))
        return [*shown, *(finding for finding in evaluated if _finding_location(finding) not in said)]

    def files_with_findings(self) -> set[str]:
        names = {*self._checked, *self._quick}
        if self._evaluated is not None:
            names |= {finding.filename for finding in self._evaluated.findings}
        return names

    def _of_evaluation(self, name: str) -> list[Finding]:
        """What the evaluation of the whole found in a file."""
        if self.values is None:
            return []
        there = self.name_in_values(name)
        return [finding for finding in self.values.findings if finding.filename == there]

    def _still_there(self, name: str, findings: Iterable[Finding]) -> list[Finding]:
        source = self.source(name)
        return [
            finding
            for finding in findings
            if finding.whole_file
            or source is None
            or finding.place.source.line_text(finding.location.line)
            == source.line_text(finding.location.line)
        ]

    # Values

    def store_evaluation(self, evaluated: EvaluatedProject, texts: dict[str, str]) -> None:
        self._evaluated, self._saved = evaluated, texts
        is_whole = not any(finding.severity is Severity.ERROR for finding in evaluated.findings)
        if is_whole or self._named is None:
            self._named = evaluated.graph

    @property
    def named_graph(self) -> Graph | None:
        """The last graph that was whole: its names are proposed also while a text is broken."""
        return self._named if self.environment is None else self.environment.named_graph

    @property
    def values(self) -> EvaluatedProject | None:
        """The values of the whole: of the environment where there is one."""
        return self._evaluated if self.environment is None else self.environment.values

    def name_in_values(self, name: str) -> str:
        """How the graph that has the values names a file of this project."""
        if self.environment is None:
            return name
        inner = self.project.path_of(name).relative_to(self.environment.project.root)
        return inner.as_posix()

    def path_in_values(self, name: str) -> Path:
        owner = self.environment or self
        return owner.project.path_of(name)

    def shift(self, name: str) -> LineShift | None:
        """From the lines of a file as it is typed to those that were evaluated."""
        file, owner, name_there = self.project.file(name), self.environment or self, self.name_in_values(name)
        saved = owner.text_at_evaluation(name_there)
        return None if file is None or saved is None else LineShift.between(file.source.text, saved)

    def text_at_evaluation(self, name: str) -> str | None:
        """The text of a file when it was evaluated. What was not open then was not changed either."""
        if name in self._saved:
            return self._saved[name]
        file = self.project.base.get_file(name)
        return None if file is None else file.source.text

    def line_in_values(self, name: str, offset: int) -> tuple[str, int] | None:
        """File and line of an offset as the graph with the values knows them; None when the line was touched since."""
        source, shift = self.source(name), self.shift(name)
        if source is None or shift is None:
            return None
        line = shift.old(source.line_column(offset)[0])
        return None if line is None else (self.name_in_values(name), line)

    def source(self, name: str) -> Source | None:
        file = self.project.file(name)
        return None if file is None else file.source


def _by_file(findings: Iterable[Finding]) -> dict[str, list[Finding]]:
    by_file: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in findings:
        by_file[finding.filename].append(finding)
    return dict(by_file)


def _finding_location(finding: Finding) -> tuple[int, int, Severity]:
    """Files are named differently by a part and by its environment; within one, lines tell."""
    return finding.location.line, finding.location.column, finding.severity


def _finding_message(finding: Finding) -> tuple[str, str]:
    return finding.code, finding.message


def _collect_messages(findings: Iterable[Finding]) -> frozenset[tuple[str, str]]:
    return frozenset(map(_finding_message, findings))
