"""Secrets from environment variables: `{env: NAME}`."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.errors import DeployError
from sabir.resources.driver import DriverContext
from sabir.resources.fields import Field

__all__ = ["ENVIRONMENT_PROVIDER"]


class Variables:
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


ENVIRONMENT_PROVIDER: Final = Variables()
