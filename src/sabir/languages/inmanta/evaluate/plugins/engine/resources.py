"""`inmanta.resources`: the classes that modules register for entities, and that handlers get."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, ClassVar, Final

from sabir.lazy import lazy_pattern

__all__ = [
    "BASE_FIELDS",
    "DiscoveryResource",
    "Id",
    "IgnoreResourceException",
    "ManagedResource",
    "PurgeableResource",
    "Resource",
    "ResourceException",
    "ResourceNotFoundExcpetion",
]

BASE_FIELDS: Final = ("send_event", "receive_events", "report_only", "references", "mutators")
"""Fields of every resource."""
_RESERVED: Final = frozenset({"id", "model", "requires", "unknowns", "version"})


class ResourceException(Exception):
    """Raised for an invalid resource class, id or agent."""


class IgnoreResourceException(Exception):
    """Raised in `get_<field>` or a function of `map` to omit the resource."""


class ResourceNotFoundExcpetion(Exception):  # spelt as modules import it
    """Raised by handlers if something is not found. The original API has this spelling."""


_id_pattern: Final = lazy_pattern(
    r"^(?P<type>(?P<ns>[\w-]+(::[\w-]+)*)::(?P<cls>[\w-]+))"
    r"\[(?P<agent>[^,]+),(?P<attribute>[^=]+)=(?P<value>[^\]]+)\](?:,v=(?P<version>[0-9]+))?$"
)


class Id:
    """The id `type[agent,attribute=value]`, with `,v=N` for a version above 0; compared by its string."""

    def __init__(
        self, entity_type: str, agent_name: str, attribute: str, attribute_value: str, version: int = 0
    ) -> None:
        self.entity_type = entity_type
        self.agent_name = agent_name
        self.attribute = attribute
        self.attribute_value = attribute_value
        self.version = version

    def get_entity_type(self) -> str:
        return self.entity_type

    def get_agent_name(self) -> str:
        return self.agent_name

    def get_attribute(self) -> str:
        return self.attribute

    def get_attribute_value(self) -> str:
        return self.attribute_value

    def get_version(self) -> int:
        return self.version

    def set_version(self, version: int) -> None:
        self.version = version

    def get_inmanta_module(self) -> str:
        return self.entity_type.partition("::")[0]

    def copy(self, *, version: int) -> Id:
        return Id(self.entity_type, self.agent_name, self.attribute, self.attribute_value, version)

    def resource_str(self) -> str:
        """Return the string without a version."""
        return f"{self.entity_type}[{self.agent_name},{self.attribute}={self.attribute_value}]"

    def resource_version_str(self) -> str:
        return f"{self.resource_str()},v={self.version}"

    def __str__(self) -> str:
        return self.resource_version_str() if self.version > 0 else self.resource_str()

    __repr__ = __str__

    def __hash__(self) -> int:
        return hash(str(self))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Id) and str(self) == str(other)

    @classmethod
    def parse_id(cls, resource_id: str, version: int | None = None) -> Id:
        match = _id_pattern().match(resource_id)
        if match is None:
            raise ValueError(f"Invalid id for resource {resource_id}")
        written = int(match["version"] or 0)
        return cls(
            match["type"],
            match["agent"],
            match["attribute"],
            match["value"],
            written if version is None else version,
        )

    @classmethod
    def is_resource_id(cls, value: str) -> bool:
        match = _id_pattern().match(value)
        return match is not None and match["version"] is None

    @classmethod
    def is_resource_version_id(cls, value: str) -> bool:
        match = _id_pattern().match(value)
        return match is not None and match["version"] is not None


def _check_fields(fields: Any, cls: type) -> tuple[str, ...]:
    names = tuple(fields) if isinstance(fields, tuple | list) else ()
    if not isinstance(fields, tuple | list) or not all(isinstance(name, str) for name in names):
        raise ResourceException(f"the fields of {cls.__name__} are no list of names")
    for name in names:
        if name in _RESERVED:
            raise ResourceException(
                f"Resource {name} is a reserved keyword and not a valid field name, reported in {cls.__name__}"
            )
    return names


class Resource:
    """A resource as a handler gets it, with its fields as attributes."""

    fields: ClassVar[tuple[str, ...]] = BASE_FIELDS
    map: ClassVar[dict[str, Callable[[Any, Any], Any]]] = {}

    declared_fields: ClassVar[tuple[str, ...]] = BASE_FIELDS
    """What a class itself says; `fields` has those of its bases, mixins among them, as well."""

    def __init_subclass__(cls) -> None:
        cls.declared_fields = _check_fields(cls.__dict__.get("fields", ()), cls)
        fields: dict[str, None] = {}
        for base in cls.__mro__:
            members = base.__dict__
            fields.update(dict.fromkeys(members.get("declared_fields", members.get("fields", ()))))
        cls.fields = tuple(fields)

    def __init__(self, _id: Id) -> None:
        self.id = _id
        self.requires: set[Any] = set()
        self.resource_requires: set[Resource] = set()
        self.unknowns: set[str] = set()
        self.model: Any = None
        self.version = _id.version
        for field in type(self).fields:
            self.__dict__.setdefault(field, None)

    @staticmethod
    def get_send_event(_: Any, obj: Any) -> bool:
        return _read_flag(obj, "send_event", default=False)

    @staticmethod
    def get_receive_events(_: Any, obj: Any) -> bool:
        return _read_flag(obj, "receive_events", default=True)

    @staticmethod
    def get_report_only(_: Any, obj: Any) -> bool:
        return _read_flag(obj, "report_only", default=False)

    @staticmethod
    def get_references(_: Any, __: Any) -> list[Any]:
        return []

    @staticmethod
    def get_mutators(_: Any, __: Any) -> list[Any]:
        return []

    def is_type(self, type_name: str) -> bool:
        return self.id.entity_type == type_name

    def set_version(self, version: int) -> None:
        self.version = version
        self.id.set_version(version)

    def clone(self, **values: Any) -> Resource:
        """Return a copy with other values for some fields."""
        import copy

        cloned = copy.copy(self)
        cloned.__dict__ = dict(self.__dict__)
        for field in type(self).fields:
            cloned.__dict__[field] = copy.deepcopy(self.__dict__.get(field))
        cloned.requires = set(self.requires)
        cloned.__dict__.update(values)
        return cloned

    def populate(self, obj_map: dict[str, Any], force_fields: bool = False) -> None:  # noqa: FBT001, FBT002, ARG002
        for field in type(self).fields:
            if field in obj_map:
                setattr(self, field, obj_map[field])
        self.requires = {Id.parse_id(text) for text in obj_map.get("requires", ())}

    @classmethod
    def deserialize(cls, obj_map: dict[str, Any], force_fields: bool = False) -> Resource:  # noqa: FBT001, FBT002
        resource = cls(Id.parse_id(obj_map["id"]))
        resource.populate(obj_map, force_fields)
        return resource

    def serialize(self) -> dict[str, Any]:
        data = {field: getattr(self, field) for field in type(self).fields}
        data["id"] = self.id.resource_version_str()
        data["requires"] = sorted(_id_text(required) for required in self.requires)
        return data

    def resolve_all_references(self, logger: Any) -> None:
        """Set fields to the values of references, as the mutators define."""
        from sabir.languages.inmanta.evaluate.plugins.engine.references import resolve_all

        resolve_all(self, logger)

    def items(self) -> Iterator[tuple[str, Any]]:
        for field in type(self).fields:
            yield field, getattr(self, field)

    def get(self, name: str, default: Any = None) -> Any:
        return getattr(self, name) if name in type(self).fields else default

    def __getitem__(self, name: str) -> Any:
        if name not in type(self).fields:
            raise KeyError(name)
        return getattr(self, name)

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in type(self).fields:
            raise KeyError(name)
        setattr(self, name, value)

    def __contains__(self, name: object) -> bool:
        return name in type(self).fields

    def __str__(self) -> str:
        return str(self.id)

    __repr__ = __str__


def _read_flag(obj: Any, name: str, *, default: bool) -> bool:
    try:
        return bool(getattr(obj, name))
    except AttributeError:
        return default


def _id_text(required: Any) -> str:
    if isinstance(required, Resource):
        return required.id.resource_str()
    return required.resource_str() if isinstance(required, Id) else str(required)


class PurgeableResource(Resource):
    """A resource that can be purged. Missing attributes count as false."""

    fields: ClassVar[tuple[str, ...]] = ("purged", "purge_on_delete")

    @staticmethod
    def get_purged(_: Any, obj: Any) -> bool:
        return _read_flag(obj, "purged", default=False)

    @staticmethod
    def get_purge_on_delete(_: Any, obj: Any) -> bool:
        return _read_flag(obj, "purge_on_delete", default=False)


class ManagedResource(Resource):
    """A resource that is omitted from the export if its attribute `managed` is false."""

    fields: ClassVar[tuple[str, ...]] = ("managed",)

    @staticmethod
    def get_managed(_: Any, obj: Any) -> bool:
        if not _read_flag(obj, "managed", default=True):
            raise IgnoreResourceException
        return True


class DiscoveryResource(Resource):
    """A resource whose handler discovers others."""

    fields: ClassVar[tuple[str, ...]] = ()
