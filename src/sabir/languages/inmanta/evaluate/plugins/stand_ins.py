"""What the resources of common modules (`fs`, `files`, `apt`, `exec`) are, for when their own Python may not run.

Their names and ids are those of the modules, so that the record of a resource is one and the same whoever keeps it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar, Final

from sabir.languages.inmanta.evaluate.plugins.api import RegisteredResource
from sabir.languages.inmanta.evaluate.plugins.engine.resources import PurgeableResource

__all__ = ["resources_of_module"]


class _File(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "group", "permissions")

    @staticmethod
    def get_permissions(_: Any, obj: Any) -> int | None:
        mode: int | None = obj.mode
        return mode


class _Symlink(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("src", "dst")


class _PlainFile(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "group", "permissions")


class _PlainSymlink(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "target")


class _Package(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("name",)


class _Run(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = (
        "command",
        "creates",
        "cwd",
        "environment",
        "onlyif",
        "path",
        "reload",
        "reload_only",
        "returns",
        "timeout",
        "unless",
        "skip_on_fail",
    )


_CLASSES: Final[tuple[tuple[str, str, type], ...]] = (
    ("fs::File", "path", _File),
    ("fs::Directory", "path", _File),
    ("fs::Symlink", "dst", _Symlink),
    ("files::TextFile", "path", _PlainFile),
    ("files::Directory", "path", _PlainFile),
    ("files::Symlink", "path", _PlainSymlink),
    ("apt::Package", "name", _Package),
    ("exec::Run", "command", _Run),
)


def resources_of_module(module: str) -> Iterator[RegisteredResource]:
    """What stands in for the classes of a module."""
    for entity, attribute, cls in _CLASSES:
        if entity.partition("::")[0] == module:
            # Each entity has a class of its own, as an instance is exported once for each class.
            own = type(cls.__name__, (cls,), {})
            yield RegisteredResource(entity, "host.name", attribute, own)
