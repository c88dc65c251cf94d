"""Which members of an archive may be read: by their names, how many there are, how much they unpack to."""

from __future__ import annotations

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.source.packages.defects import LEADS_OUT, TOO_MUCH
from sabir.source.packages.limits import PackageLimits
from sabir.source.packages.names import name_defect, normal_name

__all__ = ["Members", "too_many"]


class Members:
    """Takes the members one by one; what is wrong with those that it does not take is in `findings`."""

    def __init__(self, limits: PackageLimits) -> None:
        self.limits = limits
        self.findings: list[Finding] = []
        self.is_full = False
        """Whether a limit is broken, so that nothing more is taken."""
        self._seen: set[str] = set()
        self._count = 0
        self._size = 0

    def take(self, name: str, size: int, defect: str | None = None) -> str | None:
        """The name of a file by which it is known; None for folders and for what is left out."""
        self._count += 1
        if self._count > self.limits.entries:
            self._end(name, too_many(self.limits) + "; the rest is left out")
            return None
        is_folder = name.endswith("/")
        defect = name_defect(name) or defect
        if defect is None and not is_folder and not normal_name(name):
            defect = "is empty"
        if defect is not None:
            self.note(LEADS_OUT, name, f"archive member name {defect}; left out")
            return None
        return None if is_folder else self._file(name, size)

    def note(self, rule: Rule, name: str, message: str) -> None:
        self.findings.append(rule.about_file(name, message))

    def _file(self, name: str, size: int) -> str | None:
        self._size += size
        if self._size > self.limits.archive:
            most = f"archive unpacks to more than {self.limits.archive:,} bytes"
            self._end(name, f"{most}; the rest is left out")
            return None
        normal = normal_name(name)
        if normal in self._seen:
            self.note(TOO_MUCH, name, "archive holds this member twice; the first one is taken")
            return None
        self._seen.add(normal)
        return normal

    def _end(self, name: str, message: str) -> None:
        self.is_full = True
        self.note(TOO_MUCH, name, message)


def too_many(limits: PackageLimits) -> str:
    return f"archive holds more than {limits.entries:,} members"
