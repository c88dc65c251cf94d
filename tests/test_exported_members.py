"""Every public package says what it offers, truly and completely."""

from __future__ import annotations

import ast
import importlib
import inspect
import pkgutil
from types import ModuleType

import pytest

import sabir


def packages() -> list[str]:
    found = pkgutil.walk_packages(sabir.__path__, "sabir.")
    return [one.name for one in found if one.ispkg and "._" not in one.name]


@pytest.mark.parametrize("name", packages())
def test_exported_members(name: str) -> None:
    module = importlib.import_module(name)
    exported = getattr(module, "__all__", None)
    if exported is None:
        assert not _own_names(module), f"{name} offers names but has no __all__"
        return
    missing = [one for one in exported if not hasattr(module, one)]
    assert not missing, f"{name}.__all__ names what is not there"
    assert len(set(exported)) == len(exported)
    unlisted = _own_names(module) - set(exported) - _used_names(module)
    assert not unlisted, f"{name} offers more than its __all__ says"


def _used_names(module: ModuleType) -> set[str]:
    """Names that the package's own code uses: imported for itself, not offered."""
    tree = ast.parse(inspect.getsource(module))
    return {one.id for one in ast.walk(tree) if isinstance(one, ast.Name) and isinstance(one.ctx, ast.Load)}


def _own_names(module: ModuleType) -> set[str]:
    """Public names bound in the package that come from the package itself, modules aside."""
    return {
        name
        for name, one in vars(module).items()
        if not name.startswith("_")
        and not isinstance(one, ModuleType)
        and str(getattr(one, "__module__", "")).startswith(module.__name__)
    }
