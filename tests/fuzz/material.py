"""What the fuzzer of the doors opens, and with which words: a project damaged at random, and a command for it."""

from __future__ import annotations

import random
from typing import Final

from tests.fuzz.mutations import Mutator
from tests.fuzz.projects import Project, expressions, projects

__all__ = ["Material", "Opening"]

Opening = list[str]
"""The words of a command; paths begin at the folder of the input, where `project` is."""

_PICTURES: Final = ("mermaid", "dot")
_RENDERINGS: Final = {
    "ccp": ("kubernetes", "start-order", "dependencies", "configuration", *_PICTURES),
    "muranopl": ("objectmodel", *_PICTURES),
    "inmanta": ("inmanta-resources", *_PICTURES),
    "tosca": _PICTURES,
    "graph": _PICTURES,
    "resources": _PICTURES,
    "mixed": ("kubernetes", "inmanta-resources", "objectmodel", *_PICTURES),
    "environment": ("kubernetes", "inmanta-resources", "objectmodel", *_PICTURES),
}
_KINDS: Final = ("muranopl", "inmanta", "ccp", "tosca", "graph", "mixed", "resources", "")
_REPORTS: Final = ("text", "concise", "json", "sarif", "github", "gitlab", "junit", "yaml")
_FORMS: Final = ("json", "yaml", "text", "dot", "mermaid", "html", "svg")
_SUBJECTS: Final = ("outputs.o", "x", "root", "root.a", "web", "*", "a.b", "service.web")
_EVERYWHERE: Final = ("check", "check", "compile", "compile", "query", "why", "render", "impact", "diff")
_DOORS: Final = {
    "muranopl": (*_EVERYWHERE, "run", "run", "test", "model", "mpl-check"),
    "graph": ("compile", "query", "why", "render", "diff"),
    "resources": (*_EVERYWHERE, "plan", "status", "state", "deploy", "adopt", "history", "destroy"),
}
_OTHERS: Final = (*_EVERYWHERE, "plan", "status")


class Material:
    """Read once: all projects, and what their pieces are mixed from."""

    def __init__(self) -> None:
        self._projects = [project for project in projects() if project.files]
        self._of_kind = {
            kind: [project for project in self._projects if kind in ("", project.kind)] for kind in _KINDS
        }
        texts: dict[str, list[str]] = {}
        for project in self._projects:
            texts.setdefault(project.kind, []).extend(project.files.values())
        self._mutator = Mutator(texts)
        self._questions = expressions()

    def input(self, source: random.Random) -> tuple[Project, Opening]:
        project = self._damaged(source)
        door = source.choice(_DOORS.get(project.kind, _OTHERS))
        return project, [door, *self._words(door, project, source)]

    def _damaged(self, source: random.Random) -> Project:
        project = source.choice(self._of_kind[source.choice(_KINDS)])
        files = self._mutator.files(project.files, project.kind, source)
        damaged = Project(project.kind, files, project.start, project.method)
        if project.kind in ("graph", "mixed", "resources") or source.random() < 0.85:
            return damaged
        return _environment(damaged, source.choice(self._projects))

    def _words(self, door: str, project: Project, source: random.Random) -> list[str]:
        path = f"project/{project.start}" if project.start else "project"
        model = ["--model", "project/model.yaml"] if "model.yaml" in project.files else []
        match door:
            case "check":
                words = [path, "--format", source.choice(_REPORTS)]
            case "mpl-check" | "test":
                return [path]
            case "model":
                return [path, "--no-ask", *source.choice(([], ["--form"], ["--schema"]))]
            case "compile":
                words = [path, *model, "--format", source.choice(_FORMS)]
            case "query":
                words = [path, *model, source.choice(self._questions)]
            case "why":
                words = [path, *model, source.choice(_SUBJECTS)]
            case "render":
                words = [path, *model, "--to", source.choice(_RENDERINGS[project.kind])]
            case "impact":
                words = [path, *model, f"{source.choice(list(project.files))}:{source.randint(1, 40)}"]
            case "diff":
                words = [path, *model, "--set", f"{source.choice(_SUBJECTS)}=1"]
            case "run":
                words = [path, *model, "--call", f"root.{project.method}"]
            case "state":
                return ["import", path, "project/state.json", "--state", "state.db"]
            case "deploy":
                words = [path, "project/plan.json", "--state", "state.db"]
            case "adopt":
                words = [path, "--murano", "project/dump", "--state", "state.db"]
            case "history":
                return [path, "--state", "state.db"]
            case _:  # plan, status, destroy
                words = [path, *model, "--state", "state.db", "--format", source.choice(("text", "json"))]
        return [*words, "--limits", "strict"]


def _environment(first: Project, second: Project) -> Project:
    """Two projects as the parts of one environment."""
    parts = (("a", first), ("b", second))
    described = "".join(
        f"  {name}:\n    path: {name}{'/' + part.start if part.start else ''}\n"
        + (f"    model: {name}/model.yaml\n" if "model.yaml" in part.files else "")
        for name, part in parts
    )
    files = {f"{name}/{file}": text for name, part in parts for file, text in part.files.items()}
    return Project("environment", {**files, "sabir.yaml": f"parts:\n{described}"})
