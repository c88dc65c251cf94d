"""A package in an editor, and the lookup of the project that a file belongs to."""

from __future__ import annotations

from collections.abc import Generator, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Final

from msgspec.structs import replace

from sabir.checks.application import Application
from sabir.checks.options import CheckOptions
from sabir.checks.policy import read_rules
from sabir.checks.settings import find_settings
from sabir.checks.validator import BaseValidator
from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import collect_rules
from sabir.environment.evaluate import load_environment
from sabir.environment.parts import list_configured_paths
from sabir.errors import SabirError
from sabir.languages.language import Language
from sabir.operations.limits import enforce_limits
from sabir.operations.packages import find_language, recognize_folder
from sabir.operations.trust import find_grant
from sabir.session import Session, Trust
from sabir.source.packages import LoadedPackage, PackageFile, load_package
from sabir.source.packages.views import EditedPackage

ENVIRONMENT_NAME: Final = "environment"


class EditorProject:
    """The files of a package, with the text of the editor for those that are open.

    Parsed files are cached until they change, so that a keystroke costs the parsing of one file.
    """

    def __init__(self, root: Path, language: Language, session: Session) -> None:
        self.root = root
        self.language = language
        self.session = session
        self.settings_problem: str | None = None
        """Why the settings of the project could not be read; it is checked without them."""
        self._base: LoadedPackage | None = None
        self._changed: dict[str, PackageFile] = {}
        self.version = 0
        """Counts the changes of texts: what was gathered from all of them is right until the next one."""
        self._application: Application | None = None

    # Files

    def name_of(self, path: Path) -> str | None:
        """Return the name of a file in the package; None if the file does not belong to it."""
        if path == self.root:
            return path.name
        try:
            name = path.relative_to(self.root).as_posix()
        except ValueError:
            return None
        return name if self.base.exists(name) else None

    def path_of(self, name: str) -> Path:
        return self.root if self.base.single_file else self.root / name

    @property
    def base(self) -> LoadedPackage:
        if self._base is None:
            self._base = load_package(self.root, self.session.limits.package)
        return self._base

    @property
    def package(self) -> LoadedPackage:
        """Return the package as it would be if all editors were saved."""
        return EditedPackage(self.base, self._changed) if self._changed else self.base

    def file(self, name: str) -> PackageFile | None:
        return self._changed.get(name) or self.base.get_file(name)

    def edit(self, name: str, text: str) -> None:
        """Set the text of a file that is open in an editor."""
        self._changed[name] = PackageFile(name, text.encode("utf-8", errors="surrogatepass"))
        self.version += 1

    def reload_file(self, name: str) -> None:
        """Read a file from disk again: it was saved, or changed by another program."""
        disk = load_package(self.root, self.session.limits.package).get_file(name)
        current = self._changed.get(name)
        if disk is not None and (current is None or disk.raw() != current.raw()):
            self._changed[name] = disk
            self.version += 1

    def reload_listing(self) -> None:
        """List the files again: some were added or deleted."""
        disk = load_package(self.root, self.session.limits.package)
        self._base = EditedPackage(disk, _find_unchanged(self.base, disk))
        self._changed = {name: file for name, file in self._changed.items() if disk.exists(name)}
        self._application = None
        self.version += 1

    # Environments

    @property
    def is_environment(self) -> bool:
        return self.language.name == ENVIRONMENT_NAME

    def configures(self, part: EditorProject) -> bool:
        """Tell whether this is an environment that configures a part, which is not complete without it."""
        package = self.package
        environment = load_environment(package)[0] if self.is_environment else None
        return environment is not None and part.root in list_configured_paths(environment, package)

    def policy_findings(self, name: str) -> tuple[Finding, ...] | None:
        """Return the findings about the text of a policy file; None if the environment does not name this
        file.
        """
        environment = load_environment(self.package)[0] if self.is_environment else None
        file = self.file(name)
        if environment is None or file is None or name not in {rules for rules, _ in environment.rules}:
            return None
        with enforce_limits(self.session.limits, name):
            return read_rules(file)[1]

    # Findings

    @property
    def application(self) -> Application:
        if self._application is None:
            self._application = Application(self._options())
        return self._application

    def _options(self) -> CheckOptions:
        try:
            options = CheckOptions.of(find_settings(self.root).check)
            self.settings_problem = None
        except SabirError as error:
            self.settings_problem = str(error)
            options = CheckOptions()
        return replace(options, session=self.session)

    @property
    def _validators(self) -> Sequence[type[BaseValidator]]:
        return [*self.language.validators(), *self.application.validators_for((self.language.name,))]

    def about_texts(self, findings: Iterable[Finding]) -> tuple[Finding, ...]:
        """Select the findings of an evaluation that belong to a check: none about missing permissions."""
        if not (self.language.evaluates_when_checked or self.is_environment):
            return ()
        rules = (*collect_rules("sabir.expressions"), *self.application.registry())
        withheld = {rule.code for rule in rules if rule.withheld}
        return tuple(finding for finding in findings if finding.code not in withheld)

    def findings_of(self, name: str) -> tuple[Finding, ...]:
        """Run the checks of a single file: fast, independent of the size of the package."""
        with enforce_limits(self.session.limits, name):
            report = self.application.check(self.package, self._validators, files=(name,))
        return tuple(finding for finding in report.findings if finding.filename == name)

    def check(self) -> Generator[None, None, tuple[Finding, ...]]:
        """Run all checks in small pieces of work: the caller can pause or stop after each."""
        package, validators, application = self.package, self._validators, self.application
        findings: list[Finding] = []
        for prepared in application.prepare_check_suit(package, validators):
            with enforce_limits(self.session.limits, prepared.file):
                findings.extend(prepared())
            yield
        return application.check(package, validators, run=lambda _: findings).findings


def _find_unchanged(before: LoadedPackage, disk: LoadedPackage) -> dict[str, str | PackageFile]:
    """Return the files with unchanged content: they need not be parsed again."""
    kept: dict[str, str | PackageFile] = {}
    for file in before.list_opened():
        now = disk.get_file(file.name)
        if now is not None and now.raw() == file.raw():
            kept[file.name] = file
    return kept


class EditorProjects:
    """The packages in the workspace directories, found when they are first needed.

    A file in a part of an environment belongs to the package of that part; its values come from the
    environment.
    """

    def __init__(self, session: Session) -> None:
        self.session = session
        self._projects: dict[Path, EditorProject] = {}
        self._homes: dict[Path, EditorProject | None] = {}
        """The project of each folder or file that was asked for."""

    def __iter__(self) -> Iterator[EditorProject]:
        return iter([*self._projects.values()])

    def forget(self) -> None:
        """Drop the cached packages: directories may have become packages."""
        self._homes.clear()

    def of(self, path: Path, *, within: Path | None = None) -> EditorProject | None:
        """Return the project of a file: the nearest directory above it that is a package, or the file
        itself.
        """
        if path not in self._homes:
            self._homes[path] = self._find(path, within)
        return self._homes[path]

    def environment_of(self, project: EditorProject) -> EditorProject | None:
        """Return the environment that a package is a part of."""
        for folder in project.root.parents:
            if (folder / "sabir.yaml").is_file():
                return self.of(folder / "sabir.yaml")
        return None

    def _find(self, path: Path, within: Path | None) -> EditorProject | None:
        for folder in path.parents:
            names = recognize_folder(folder, self.session.limits.package)
            if len(names) == 1:
                project = self._project(folder, names[0])
                if project is not None and project.name_of(path) is not None:
                    return project
            if folder == within:
                break
        return self._project(path, None) if path.is_file() else None

    def _project(self, root: Path, language: str | None) -> EditorProject | None:
        if root in self._projects:
            return self._projects[root]
        try:
            package = load_package(root, self.session.limits.package)
            spoken = find_language(package, language)
        except SabirError:
            return None
        leave = find_grant(root, self.session)
        trust = leave.trust if leave is not None and not leave.changes else Trust()
        project = EditorProject(root, spoken, replace(self.session, trust=trust))
        self._projects[root] = project
        return project
