"""Secrets that a command writes: `{command: [sops, -d, --extract, …]}`, without the end of the last line."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from typing import Any, Final

from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.resources.fields import Field, FieldType

__all__ = ["PROVIDER"]

_SECONDS: Final = 60.0


class Commands:
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
                written, _ = await process.communicate()
        except TimeoutError as error:
            raise DeployError(f"{words[0]!r} took too long") from error
        finally:
            if process.returncode is None:  # it took too long, or the deployment was stopped meanwhile
                process.kill()
                await process.wait()
        if process.returncode:
            raise DeployError(f"{words[0]!r} ended with status {process.returncode}")
        return written.decode("utf-8", "replace").removesuffix("\n")


PROVIDER: Final = Commands()
