"""Secrets that a command writes: `{command: [sops, -d, --extract, …]}`, without the end of the last line.

Secrets from environment variables: `{env: NAME}`.

Secrets from files: `{file: PATH}`, without the end of the last line.
"""

from __future__ import annotations

import asyncio
from asyncio.subprocess import Process
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.resources.fields import Field, FieldType
from sabir.source.packages import is_below

_SECONDS: Final = 60.0
_LARGEST: Final = 4 << 20


class CommandProvider:
    name: Final = "command"
    main: Final = "run"

    def settings(self) -> Mapping[str, Field]:
        return {
            "run": Field(about="the command, as a list of words", type=FieldType.LIST, required=True),
            "timeout": Field(about="seconds it may take; default 60", type=FieldType.NUMBER),
        }

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        words = [str(word) for word in settings["run"]]
        if not context.session.trust.scripts:
            raise DeployError(f"it would run {words[0]!r}: allow it with --trust scripts")
        try:
            process = await asyncio.create_subprocess_exec(
                *words,
                cwd=context.folder,
                stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.PIPE,
                stderr=asyncio.subprocess.DEVNULL,
            )
        except OSError as error:
            raise DeployError(f"{words[0]!r} cannot be run: {error.strerror or error}") from error
        try:
            async with asyncio.timeout(float(settings.get("timeout") or _SECONDS)):
                written = await _read_output(process)
                await process.wait()
        except TimeoutError as error:
            raise DeployError(f"{words[0]!r} took too long") from error
        except asyncio.LimitOverrunError as error:
            raise DeployError(f"{words[0]!r} writes more than {_LARGEST >> 20} MB") from error
        finally:
            await _kill_process(process)
        if process.returncode:
            raise DeployError(f"{words[0]!r} ended with status {process.returncode}")
        return written.decode("utf-8", "replace").removesuffix("\n")


async def _read_output(process: Process) -> bytes:
    assert process.stdout is not None
    written = bytearray()
    while piece := await process.stdout.read(1 << 16):
        written += piece
        if len(written) > _LARGEST:
            raise asyncio.LimitOverrunError("too much", len(written))
    return bytes(written)


async def _kill_process(process: Process) -> None:
    if process.returncode is None:
        process.kill()
        await process.wait()


COMMAND_PROVIDER: Final = CommandProvider()


class VariableProvider:
    name: Final = "env"
    main: Final = "variable"

    def settings(self) -> Mapping[str, Field]:
        return {"variable": Field(about="the environment variable", required=True)}

    async def read(self, settings: Mapping[str, Any], context: DriverContext) -> str:
        """A description says where the value goes, so the operator says which variables it may have."""
        name = settings["variable"]
        if not context.session.trust.allows_variable(name):
            raise DeployError(
                f"the environment variable {name} may not be seen: allow it with --trust env:{name}"
            )
        value = context.session.environment.get(name)
        if value is None:
            raise DeployError(f"the environment variable {name} is not set")
        return value


ENVIRONMENT_PROVIDER: Final = VariableProvider()


class FileProvider:
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


FILE_PROVIDER: Final = FileProvider()
