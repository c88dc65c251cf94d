"""The licences of what sabir stands on, as a page and as a bill of materials: `python -m docs.licences` writes both.

Everything that an extra can bring is listed, with what it brings along in turn; the tools of developers are not. The versions are
those of requirements.lock. A licence that is not in `ALLOWED` fails the tests: somebody has to look at it first.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from importlib.metadata import Distribution, PackageNotFoundError, distribution
from pathlib import Path
from typing import Any, Final

__all__ = ["ALLOWED", "Component", "bill_of_materials", "components", "licences_page", "main"]

ROOT: Final = Path(__file__).resolve().parents[1]
PAGE: Final = ROOT / "docs" / "licences.md"
BILL: Final = ROOT / "docs" / "sbom.json"
DAGRE: Final = ("dagre", "3.1.3", "MIT", "in the page of `compile --format html`")

ALLOWED: Final = frozenset(
    {
        "Apache-2.0",
        "Apache-2.0 AND BSD-2-Clause",
        "Apache-2.0 OR BSD-2-Clause",
        "Apache-2.0 OR BSD-3-Clause",
        "BSD",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "EPL-2.0 OR GPL-2.0-or-later",
        "ISC",
        "LGPL-3.0",
        "MIT",
        "MIT-0",
        "MIT OR Apache-2.0",
        "MPL-2.0",
        "PSF-2.0",
        "ZPL-2.1",
        "Apache-2.0 AND CNRI-Python",
    }
)
"""Licences that let sabir be used and passed on under its own; those with conditions are used unchanged, as libraries."""

# What distributions wrote before there were expressions for it.
_SPELLINGS: Final = {
    "Apache License 2.0": "Apache-2.0",
    "Apache Software License": "Apache-2.0",
    "Apache Software License 2.0": "Apache-2.0",
    "Apache License, Version 2.0": "Apache-2.0",
    "Apache 2.0": "Apache-2.0",
    "Apache 2": "Apache-2.0",
    "Apache": "Apache-2.0",
    "BSD License": "BSD",
    "BSD 3-Clause License": "BSD-3-Clause",
    "BSD-3-Clause License": "BSD-3-Clause",
    "3-Clause BSD License": "BSD-3-Clause",
    "New BSD": "BSD-3-Clause",
    "New BSD License": "BSD-3-Clause",
    "MIT License": "MIT",
    "The MIT License": "MIT",
    "GNU Lesser General Public License v3 (LGPLv3)": "LGPL-3.0",
    "LGPL-3.0-only": "LGPL-3.0",
    "LGPL-3.0-or-later": "LGPL-3.0",
    "Mozilla Public License 2.0 (MPL 2.0)": "MPL-2.0",
    "Python Software Foundation License": "PSF-2.0",
    "Zope Public License": "ZPL-2.1",
    "PSF": "PSF-2.0",
    "ISC License": "ISC",
    "ISC License (ISCL)": "ISC",
    "EPL-2.0 OR GPL-2.0-or-later": "EPL-2.0 OR GPL-2.0-or-later",
    "Dual License": "Apache-2.0 OR BSD-3-Clause",
}

Component = tuple[str, str, str]
"""Name, version, licence."""


def components() -> list[Component]:
    """Every distribution that sabir or one of its extras needs, by name."""
    locked = dict(
        re.findall(r"^([\w.-]+)==([^\s;]+)", (ROOT / "requirements.lock").read_text(), re.MULTILINE)
    )
    names: dict[str, None] = {}
    waiting = [*_needed(distribution("sabir"), extras=True)]
    for name in waiting:
        if name in names:
            continue
        names[name] = None
        try:
            waiting += _needed(distribution(name), extras=False)
        except PackageNotFoundError:
            continue  # for another system
    rows = [
        (name, locked[name], _licence(distribution(name)))
        for name in names
        if name in locked and _is_here(name)
    ]
    return sorted(rows)


def _is_here(name: str) -> bool:
    try:
        distribution(name)
    except PackageNotFoundError:
        return False
    return True


def _needed(wanted: Distribution, *, extras: bool) -> Iterator[str]:
    for requirement in wanted.requires or ():
        name = re.split(r"[\s\[;<>=!~(]", requirement, maxsplit=1)[0].lower().replace("_", "-")
        if name != "sabir" and (extras or "extra ==" not in requirement):
            yield name


def _licence(found: Distribution) -> str:
    metadata = found.metadata
    classifiers = [
        entry.rpartition(" :: ")[2]
        for entry in metadata.get_all("Classifier") or []
        if entry.startswith("License ::") and not entry.endswith("OSI Approved")
    ]
    stated = metadata.get_all("License-Expression") or metadata.get_all("License") or [""]
    written: str = stated[0]
    if not written or "\n" in written or len(written) > 60:
        # A whole licence begins with its name.
        written = classifiers[0] if classifiers else written.partition("\n")[0] or "unknown"
    return _SPELLINGS.get(written.strip(), written.strip())


def licences_page() -> str:
    rows = [f"| {name} | {version} | {licence} |" for name, version, licence in components()]
    lines = [
        "# Licences",
        "",
        "<!-- Made by `python -m docs.licences`. -->",
        "",
        "sabir is under Apache-2.0. This is what it stands on: everything that an extra can bring, with the version of the lock file.",
        "The same as a bill of materials in the form of CycloneDX: [sbom.json](sbom.json).",
        "",
        "| package | version | licence |",
        "|---|---|---|",
        *rows,
        "",
        f"Inside sabir: {DAGRE[0]} {DAGRE[1]} ({DAGRE[2]}), {DAGRE[3]}; its licence lies beside it.",
        "",
    ]
    return "\n".join(lines)


def bill_of_materials() -> dict[str, Any]:
    """CycloneDX 1.6."""
    listed = [
        (name, version, licence, f"pkg:pypi/{name}@{version}") for name, version, licence in components()
    ]
    listed.append((DAGRE[0], DAGRE[1], DAGRE[2], f"pkg:npm/%40dagrejs/dagre@{DAGRE[1]}"))
    return {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {
            "component": {"type": "application", "name": "sabir", "licenses": [{"expression": "Apache-2.0"}]}
        },
        "components": [
            {
                "type": "library",
                "name": name,
                "version": version,
                "purl": purl,
                "licenses": [
                    {"expression": licence} if licence in _EXPRESSIONS else {"license": {"name": licence}}
                ],
            }
            for name, version, licence, purl in listed
        ],
    }


_EXPRESSIONS: Final = ALLOWED - {"BSD", "LGPL-3.0"}
"""Those of them that are expressions of SPDX."""


def main() -> int:
    PAGE.write_text(licences_page(), encoding="utf-8")
    BILL.write_text(json.dumps(bill_of_materials(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
