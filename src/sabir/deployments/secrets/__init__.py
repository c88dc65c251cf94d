"""Providers of secrets: environment variables, files, commands, Kubernetes, Vault.

Where secrets that are referred to come from: sources by name, providers from their entry points.
"""

from __future__ import annotations

from typing import Any, cast

from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import DeployError, PluginError
from sabir.plugins import SECRETS, load_plugin, plugin_names
from sabir.resources.fields import field_problems
from sabir.resources.secrets import SecretProvider, SecretSource

__all__ = ["provider_of", "settings_of", "source_problem"]


def provider_of(source: SecretSource) -> SecretProvider:
    names = plugin_names(SECRETS)
    if source.provider not in names:
        hint = did_you_mean(source.provider, names) or f"there are {', '.join(names)}"
        raise DeployError(f"secret {source.name!r}: there is no provider {source.provider!r}: {hint}")
    try:
        return cast("SecretProvider", load_plugin(SECRETS, source.provider))
    except PluginError as error:
        raise DeployError(str(error)) from error


def settings_of(source: SecretSource, provider: SecretProvider) -> dict[str, Any]:
    """The settings by name; a text alone is the main one."""
    return {name or provider.main: value for name, value in source.settings.items()}


def source_problem(source: SecretSource) -> str | None:
    """What is wrong with where a secret is said to come from."""
    try:
        provider = provider_of(source)
    except DeployError as error:
        return str(error)
    problems = field_problems(provider.settings(), settings_of(source, provider))
    return None if not problems else f"secret {source.name!r}: {'; '.join(problems.values())}"
