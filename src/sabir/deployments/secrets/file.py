"""Secrets from files: `{file: PATH}`, without the end of the last line."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.resources.fields import Field
from sabir.source.packages import is_below

__all__ = ["FILE_PROVIDER"]

_LARGEST: Final = 4 << 20


class Files:
    name: Final = "file"
    main: Final = "path"

    def settings(self) -> Mapping[str, Field]:
        return {"path": Field(about="the file, from the folder of the environment", required=True)}

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        path: Path = context.folder / settings["path"]
        if not is_below(path, context.folder) and not context.session.trust.outside:
            raise DeployError(
                f"{settings['path']} leads out of the environment: allow it with --trust outside"
            )
        if path.exists() and not path.is_file():
            raise DeployError(f"{settings['path']} is no file")
        try:
            with path.open(encoding="utf-8") as file:
                text = file.read(_LARGEST + 1)
        except UnicodeDecodeError as error:
            raise DeployError(f"{settings['path']} is not UTF-8 text") from error
        except OSError as error:
            raise DeployError(f"{settings['path']} cannot be read: {error.strerror or error}") from error
        if len(text) > _LARGEST:
            raise DeployError(f"{settings['path']} is larger than {_LARGEST >> 20} MB")
        return text.removesuffix("\n")


FILE_PROVIDER: Final = Files()
