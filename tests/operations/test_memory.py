"""Many projects in one process: nothing of a project stays behind when its result is dropped."""

from __future__ import annotations

import gc
from collections.abc import Callable
from pathlib import Path

import pytest

import sabir
from sabir.checks.options import CheckOptions
from sabir.operations.check import check_package
from sabir.operations.editor.project import EditorProject
from sabir.operations.packages import find_language
from sabir.session import Session
from sabir.source.packages import LoadedPackage, load_package
from sabir.source.packages.package import PackageFile

MANIFEST = "Format: MuranoPL/1.4\nType: Application\nFullName: demo{n}\nName: Demo\nClasses:\n  demo{n}.Root: Root.yaml\n"
CLASS = "Namespaces:\n  =: demo{n}\n  std: io.murano\nName: Root\nExtends: std:Application\nMethods:\n  deploy:\n    Body:\n"
MODEL = "'?': {{id: env, type: io.murano.Environment}}\nname: e\napplications:\n  - '?': {{id: app, type: demo{n}.Root}}\n"
TEMPLATE = "tosca_definitions_version: tosca_simple_yaml_1_3\nnode_types:\n  T{n}: {{derived_from: tosca.nodes.Root}}\n"
PROJECTS: dict[str, dict[str, str]] = {
    "muranopl": {
        "manifest.yaml": MANIFEST,
        "Classes/Root.yaml": CLASS + "".join(f"      - $x{at}: {at} + {{n}}\n" for at in range(30)),
        "model.yaml": MODEL,
    },
    "inmanta": {
        "main.cf": "".join(
            f"entity E{at}x{{n}}:\n    int n = {{n}}\nend\nimplement E{at}x{{n}} using std::none\nE{at}x{{n}}()\n"
            for at in range(20)
        )
    },
    "tosca": {
        "main.yaml": TEMPLATE
        + "topology_template:\n  node_templates:\n"
        + "".join(f"    node{at}x{{n}}: {{{{type: T{{n}}}}}}\n" for at in range(20))
    },
    "ccp": {
        "service/web{n}.yaml": (
            "dsl_version: 0.1.0\nservice:\n  name: web{n}\n  kind: Deployment\n  containers:\n    - name: web{n}\n      image: web\n"
            "      daemon:\n        command: run{n}.sh\n"
        ),
        "service/files/defaults.yaml": "configs:\n  web{n}:\n    size: {n}\n",
    },
}
CACHED = 150
"""Objects that a project may add to caches, which are bounded. One project has more than 500 of its own."""

Action = Callable[[Path, Session], object]
ACTIONS: dict[str, Action] = {
    "compile": lambda path, session: sabir.compile(path, session=session),
    "check": lambda path, session: sabir.check(path, session=session),
}


def write_project(folder: Path, language: str, number: int) -> Path:
    root = folder / f"{language}{number}"
    for name, text in PROJECTS[language].items():
        path = root / name.format(n=number)
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text.format(n=number), encoding="utf-8")
    return root


def count_objects() -> tuple[int, int]:
    """Return how many objects there are, and how many of them are packages or files."""
    gc.collect()
    gc.collect()
    objects = gc.get_objects()
    return len(objects), sum(isinstance(each, LoadedPackage | PackageFile) for each in objects)


@pytest.mark.parametrize("action", ACTIONS)
@pytest.mark.parametrize("language", PROJECTS)
def test_projects_are_freed(tmp_path: Path, language: str, action: str) -> None:
    session = Session()

    def work(numbers: range) -> tuple[int, int]:
        for number in numbers:
            ACTIONS[action](write_project(tmp_path, language, number), session)
        return count_objects()

    work(range(3))
    objects, files = work(range(3, 8))
    more_objects, more_files = work(range(8, 18))
    assert more_files - files <= 2  # those of the last project may be in a local cache
    assert more_objects - objects < 10 * CACHED


@pytest.mark.parametrize("language", PROJECTS)
def test_texts_that_were_edited_are_freed(tmp_path: Path, language: str) -> None:
    """As an editor does it: one project, a new text for every key that is typed."""
    root = write_project(tmp_path, language, 0)
    name = next(name for name in PROJECTS[language] if name not in ("manifest.yaml", "model.yaml")).format(
        n=0
    )
    session = Session()
    project = EditorProject(root, find_language(load_package(root)), session)
    text = (root / name).read_text(encoding="utf-8")

    def work(numbers: range) -> tuple[int, int]:
        for number in numbers:
            project.edit(name, f"{text}# {number}\n")
            check_package(project.package, CheckOptions(session=session))
        return count_objects()

    work(range(3))
    objects, files = work(range(3, 8))
    more_objects, more_files = work(range(8, 18))
    assert more_files - files <= 2
    assert more_objects - objects < 10 * CACHED
