"""Which project a file belongs to."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from msgspec.structs import replace

from sabir.errors import SabirError
from sabir.operations.consent import find_leave
from sabir.operations.discover import languages_here
from sabir.operations.editing.project import Project
from sabir.operations.languages import find_language
from sabir.session import Session, Trust
from sabir.source.packages import load_package

__all__ = ["Projects"]


class Projects:
    """The packages below some folders, found when they are first needed.

    A file of a part of an environment belongs to the package of that part; the environment is what its values are computed in.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._projects: dict[Path, Project] = {}
        self._homes: dict[Path, Project | None] = {}
        """The project of each folder or file that was asked for."""

    def __iter__(self) -> Iterator[Project]:
        return iter([*self._projects.values()])

    def forget(self) -> None:
        """Folders may have become packages."""
        self._homes.clear()

    def of(self, path: Path, *, within: Path | None = None) -> Project | None:
        """The project of a file: the nearest folder above it that is a package, else the file itself, if it is one."""
        if path not in self._homes:
            self._homes[path] = self._find(path, within)
        return self._homes[path]

    def environment_of(self, project: Project) -> Project | None:
        """The environment that a package is a part of."""
        for folder in project.root.parents:
            if (folder / "sabir.yaml").is_file():
                return self.of(folder / "sabir.yaml")
        return None

    def _find(self, path: Path, within: Path | None) -> Project | None:
        for folder in path.parents:
            names = languages_here(folder, self.session.limits.package)
            if len(names) == 1:
                project = self._project(folder, names[0])
                if project is not None and project.name_of(path) is not None:
                    return project
            if folder == within:
                break
        return self._project(path, None) if path.is_file() else None

    def _project(self, root: Path, language: str | None) -> Project | None:
        if root in self._projects:
            return self._projects[root]
        try:
            package = load_package(root, self.session.limits.package)
            spoken = find_language(package, language)
        except SabirError:
            return None
        leave = find_leave(root, self.session)
        trust = leave.trust if leave is not None and not leave.changes else Trust()
        project = Project(root, spoken, replace(self.session, trust=trust))
        self._projects[root] = project
        return project
