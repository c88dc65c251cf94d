"""What the entities of std are deployed as."""

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
    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "hash", "group", "permissions", "reload")

    @staticmethod
    def get_hash(_: Any, obj: Any) -> str:
        """The content is named by its hash; blocks before and after it are sorted by their keys."""
        import hashlib

        return hashlib.sha1(whole_content(obj).encode(), usedforsecurity=False).hexdigest()

    @staticmethod
    def get_permissions(_: Any, obj: Any) -> int:
        return int(obj.mode)


def whole_content(obj: Any, separator: str = "content_seperator") -> str:
    """The content with what is put before and after it; `separator` is the name of the attribute with what stands between."""

    def sorted_blocks(blocks: Any) -> list[str]:
        return [block.value for block in sorted(blocks, key=lambda block: block.sorting_key or block.value)]

    return str(getattr(obj, separator)).join(
        [*sorted_blocks(obj.prefix_content), obj.content, *sorted_blocks(obj.suffix_content)]
    )


@resource("std::Directory", agent="host.name", id_attribute="path")
@resource("std::DefaultDirectory", agent="host.name", id_attribute="path")
class Directory(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("path", "owner", "group", "permissions", "reload")

    @staticmethod
    def get_permissions(_: Any, obj: Any) -> int:
        return int(obj.mode)


@resource("std::Symlink", agent="host.name", id_attribute="target")
class Symlink(PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("source", "target", "reload")


@resource("std::Package", agent="host.name", id_attribute="name")
class Package(Resource):
    fields: ClassVar[tuple[str, ...]] = ("name", "state", "reload")


@resource("std::Service", agent="host.name", id_attribute="name")
class Service(Resource):
    fields: ClassVar[tuple[str, ...]] = ("name", "state", "onboot", "reload")


@resource("std::AgentConfig", agent="agent", id_attribute="agentname")
class AgentConfig(PurgeableResource):
    """Told to a server of old; its uri says here how the agent is reached, and nothing is deployed."""

    fields: ClassVar[tuple[str, ...]] = ("agentname", "uri", "autostart")

    @staticmethod
    def get_autostart(_: Any, __: Any) -> bool:
        raise IgnoreResourceException


@resource("std::testing::NullResource", agent="agentname", id_attribute="name")
class NullResource(ManagedResource, PurgeableResource):
    fields: ClassVar[tuple[str, ...]] = ("name", "agentname", "value", "int_value", "fail")
