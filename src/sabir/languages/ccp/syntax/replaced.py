"""Templates that a configuration puts in place of those of components: `files: {NAME: PATH}`."""

from __future__ import annotations

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import UnusableInput
from sabir.languages.ccp.syntax.configuration import Configuration
from sabir.languages.ccp.syntax.examples import ccp_rule
from sabir.languages.ccp.syntax.fault import Fault, build_fault
from sabir.languages.ccp.syntax.includes import Beside
from sabir.source.packages import PackageFile

__all__ = ["replaced_files"]


NO_REPLACEMENT = ccp_rule(
    code="CCP:E034",
    title="template that should replace another is not there",
    why="`files` of the configuration maps names of files to templates that are used instead, named from its own folder.",
)

REPLACES_NOTHING = ccp_rule(
    code="CCP:W024",
    title="template that replaces no file",
    why="`files` of the configuration goes by the names that definitions give their files; no definition has this one.",
)


def replaced_files(
    configuration: Configuration, beside: Beside | None, names: set[str], faults: list[Fault]
) -> dict[str, PackageFile]:
    """The replacing templates by the names of files; `names` are those that definitions have."""
    replaced: dict[str, PackageFile] = {}
    for name, path in configuration.section("files").items():
        place = configuration.place("files", name)
        where = f"files.{name}"
        if name not in names:
            message = f"{where}: no definition has a file of that name"
            hint = did_you_mean(name, names)
            faults.append(
                build_fault(
                    REPLACES_NOTHING, where, configuration.key_place("files", name), message, hint=hint
                )
            )
        problem = "there is no such file"
        try:
            file = beside(place.source, str(path)) if beside is not None else None
        except UnusableInput as error:
            file, problem = None, str(error)
        if file is None or file.defect is not None:
            problem = problem if file is None else "it is no UTF-8 text"
            faults.append(
                build_fault(NO_REPLACEMENT, where, place, f"{where}: {path!r} cannot be used: {problem}")
            )
        else:
            replaced[name] = file
    return replaced
