"""Encrypts what an operation wrote into its folder of secrets; run by the operation behind its program.

python -m sabir.languages.tosca.graph.sealing FOLDER
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Final

from sabir.expressions.vault import encrypt, is_vault

__all__ = ["PASSWORD", "seal"]

PASSWORD: Final = "UNFURL_VAULT_DEFAULT_PASSWORD"


def seal(folder: Path, password: str) -> None:
    """Every file that is not encrypted yet; beside it first, so that one that is cut off is whole."""
    for path in sorted(folder.rglob("*")):
        if path.is_symlink() or not path.is_file():
            continue
        content = path.read_bytes()
        if is_vault(content):
            continue
        beside = path.with_name(f".{path.name}.sealing")
        with os.fdopen(os.open(beside, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            file.write(encrypt(content, password))
        beside.replace(path)


if __name__ == "__main__":
    seal(Path(sys.argv[1]), os.environ[PASSWORD])
