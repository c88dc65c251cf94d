"""The runner as one archive that Python runs, the same bytes whenever it is made."""

from __future__ import annotations

import base64
import io
import zipfile
from functools import lru_cache
from importlib import resources
from typing import Final

__all__ = ["ARCHIVE", "runner_archive", "runner_data"]

ARCHIVE: Final = "ccp-runner.pyz"
_PACKAGE: Final = "ccp_runner"
_START: Final = f"""\
import sys

from {_PACKAGE}.program import main

sys.exit(main(sys.argv[1:]))
"""


@lru_cache(maxsize=1)
def runner_archive() -> bytes:
    """Not compressed: an interpreter without zlib can read it, and no version of zlib changes it."""
    folder = resources.files("sabir.languages.ccp.runner")
    names = sorted(entry.name for entry in folder.iterdir() if entry.name.endswith(".py"))
    texts = {
        f"{_PACKAGE}/{name}": folder.joinpath(name).read_bytes() for name in names if name != "__main__.py"
    }
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_STORED) as archive:
        for name, content in {"__main__.py": _START.encode(), **texts}.items():
            archive.writestr(zipfile.ZipInfo(name), content)
    return buffer.getvalue()


@lru_cache(maxsize=1)
def runner_data() -> str:
    """As a ConfigMap holds it."""
    return base64.b64encode(runner_archive()).decode()
