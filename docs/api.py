"""Write the API reference of the checker from the code: signatures and docstrings. `python -m docs.api` runs this."""

from __future__ import annotations

import inspect
import re
import sys
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from msgspec import Struct

__all__ = ["PAGE", "api_page"]

PAGE: Final = Path(__file__).resolve().parent / "reference" / "check-api.md"

_SECTIONS: Final = (
    ("Checking", "sabir.checks", ("Application", "CheckOptions", "Report", "PackageReport", "CheckTask")),
    ("Validators and checkers", "sabir.checks", ("BaseValidator", "FormValidator", "only_for", "format_between", "package_type", "run_guarded", "container_findings", "text_findings", "yaml_findings")),
    ("Formatters", "sabir.checks.formatters", ("BaseFormatter", "FormatterOptions")),
    ("Findings and codes", "sabir.diagnostics", ("Finding", "Severity", "RelatedLocation", "Frame", "Fix", "Edit", "Rule", "RuleRegistry", "parse_code", "suggest", "did_you_mean")),
    ("Packages", "sabir.source.packages", ("load_package", "PackageLoader", "DirectoryLoader", "ZipLoader", "FileLoader", "LoadedPackage", "PackageFile", "MemoryPackage", "PackageLimits")),
    ("Operations", "sabir.operations.check", ("check_paths", "check_package", "list_codes", "CheckResult")),
    ("Uploads", "sabir.operations.check", ("check_upload", "UploadResponse")),
    ("Exceptions", "sabir.errors", ("SabirError", "InputError", "UsageError", "PluginError", "FindingError")),
)  # fmt: skip


def api_page() -> str:
    parts = [
        "# API of the checker",
        "",
        "Made from the code by `python -m docs.api`. Everything here is public and typed; `CheckerError` of spec 001 is `Finding`.",
    ]
    for title, module, names in _SECTIONS:
        parts += ["", f"## {title}", "", f"`from {module} import {', '.join(names)}`"]
        for name in names:
            parts += ["", *_entry(name, getattr(import_module(module), name))]
    return "\n".join(parts) + "\n"


def _entry(name: str, thing: Any) -> list[str]:
    lines = [f"### `{name}`", ""]
    if not inspect.isclass(thing):
        return [*lines, f"    {name}{_signature(thing)}", "", _text(thing)]
    if not issubclass(thing, BaseException) and ("__init__" in vars(thing) or issubclass(thing, Struct)):
        lines += [f"    {name}{_signature(thing)}", ""]
    lines.append(_text(thing))
    for member, value in vars(thing).items():
        function = value.__func__ if isinstance(value, (classmethod, staticmethod)) else value
        if member.startswith("_") or not (inspect.isfunction(function) or isinstance(value, property)):
            continue
        shown = member if isinstance(value, property) else f"{member}{_signature(function)}"
        text = _text(value if isinstance(value, property) else function)
        lines += ["", f"- `{shown}`" + (f"<br>{' '.join(text.split())}" if text else "")]
    return lines


def _signature(thing: Any) -> str:
    text = str(inspect.signature(thing)).replace("'", "")
    # A record shows its annotations resolved, with their modules.
    text = re.sub(r"\b(?:[a-z_]+\.)+(?=[A-Z])", "", text)
    # A default that is an object is shown by its class; its address would differ from run to run.
    return re.sub(r"<(?:\w+\.)*(\w+) object at 0x[0-9a-f]+>", r"\1", text).replace("<factory>", "…")


def _text(thing: Any) -> str:
    own = vars(thing).get("__doc__") if inspect.isclass(thing) else thing.__doc__
    return inspect.cleandoc(own) if own and not own.startswith(f"{getattr(thing, '__name__', '')}(") else ""


if __name__ == "__main__":
    PAGE.write_text(api_page(), encoding="utf-8")
    sys.stdout.write(f"wrote {PAGE.name}\n")
