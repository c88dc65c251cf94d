"""Resource classes of the entities of `std`."""

from __future__ import annotations

from typing import Any, ClassVar

from sabir.languages.inmanta.evaluate.plugins.engine.resources import (
    IgnoreResourceException,
    ManagedResource,
    PurgeableResource,
    Resource,
)
from sabir.languages.inmanta.library.std.plugins.registry import resource

__all__ = ["AgentConfig", "Directory", "File", "NullResource", "Package", "Service", "Symlink"]


@resource("std::File", agent="host.name", id_attribute="path")
@resource("std::ConfigFile", agent="host.name", id_attribute="path")
class File(PurgeableResource):
    """A file, whose content is uploaded under its hash."""

    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "hash", "group", "permissions", "reload")

    @staticmethod
    def get_hash(_: Any, obj: Any) -> str:
        """Return the hash of the content; blocks before and after it are sorted by their keys."""
        import hashlib

        return hashlib.sha1(whole_content(obj).encode(), usedforsecurity=False).hexdigest()

    @staticmethod
    def get_permissions(_: Any, obj: Any) -> int:
        return int(obj.mode)


def whole_content(obj: Any, separator: str = "content_seperator") -> str:
    """Return the content with its prefixes and suffixes; `separator` names the attribute between them."""

    def sorted_blocks(blocks: Any) -> list[str]:
        return [block.value for block in sorted(blocks, key=lambda block: block.sorting_key or block.value)]

    return str(getattr(obj, separator)).join(
        [*sorted_blocks(obj.prefix_content), obj.content, *sorted_blocks(obj.suffix_content)]
    )


@resource("std::Directory", agent="host.name", id_attribute="path")
@resource("std::DefaultDirectory", agent="host.name", id_attribute="path")
class Directory(PurgeableResource):
    """A directory with owner, group and mode."""

    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "group", "permissions", "reload")

    @staticmethod
    def get_permissions(_: Any, obj: Any) -> int:
        return int(obj.mode)


@resource("std::Symlink", agent="host.name", id_attribute="target")
class Symlink(PurgeableResource):
    """A symbolic link from `target` to `source`."""

    fields: ClassVar[tuple[str, ...]] = ("source", "target", "reload")


@resource("std::Package", agent="host.name", id_attribute="name")
class Package(Resource):
    """A package of the operating system."""

    fields: ClassVar[tuple[str, ...]] = ("name", "state", "reload")


@resource("std::Service", agent="host.name", id_attribute="name")
class Service(Resource):
    """A service of the operating system."""

    fields: ClassVar[tuple[str, ...]] = ("name", "state", "onboot", "reload")


@resource("std::AgentConfig", agent="agent", id_attribute="agentname")
class AgentConfig(PurgeableResource):
    """The connection settings of an agent. Nothing is deployed; the uri says how the agent is reached."""

    fields: ClassVar[tuple[str, ...]] = ("agentname", "uri", "autostart")

    @staticmethod
    def get_autostart(_: Any, __: Any) -> bool:
        raise IgnoreResourceException


@resource("std::testing::NullResource", agent="agentname", id_attribute="name")
class NullResource(ManagedResource, PurgeableResource):
    """A resource without effect, for tests."""

    fields: ClassVar[tuple[str, ...]] = ("name", "agentname", "value", "int_value", "fail")
