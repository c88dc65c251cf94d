"""`inmanta.references`: values that are looked up only during deployment, and their serialized form."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn, TypeVar

from sabir.languages.inmanta.model.types import Late

if TYPE_CHECKING:
    import uuid

__all__ = [
    "Mutator",
    "Reference",
    "Registrations",
    "ReplaceValue",
    "is_reference_of",
    "resolve_all",
    "type_name_of",
]

T = TypeVar("T")
REPLACE: Final = "core::Replace"
_PYTHON_TYPES: Final = {"str": str, "int": int, "float": float, "bool": bool}


class ReferenceCycleException(Exception):
    """Raised for a reference that depends on itself."""


class ReferenceLike:
    """The base class of references and mutators, which serialize their constructor arguments."""

    type: str = ""

    @property
    def arguments(self) -> Mapping[str, Any]:
        return {name: value for name, value in self.__dict__.items() if not name.startswith("_")}

    def __repr__(self) -> str:
        return type(self).__name__

    def resolve_other(self, value: Any, logger: Any) -> Any:
        """Return a value, resolved if it is a reference."""
        return value.get(logger) if isinstance(value, Reference) else value

    def serialize_arguments(self) -> tuple[uuid.UUID, list[dict[str, Any]]]:
        import hashlib
        import json

        written = [_argument_data(name, value, self) for name, value in self.arguments.items()]
        data = json.dumps({"type": type_name_of(self), "args": written}, sort_keys=True)
        digest = hashlib.md5(data.encode(), usedforsecurity=False).digest()
        return _digest_uuid(digest), written

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, ReferenceLike)
            and type(self) is type(other)
            and self.arguments == other.arguments
        )

    def __hash__(self) -> int:
        return hash((type(self), repr(sorted(self.arguments.items(), key=lambda pair: pair[0]))))


def _digest_uuid(digest: bytes) -> uuid.UUID:
    """Return a UUID from a digest, in the namespace of object identifiers."""
    import hashlib
    import uuid

    hashed = hashlib.md5(uuid.NAMESPACE_OID.bytes + digest, usedforsecurity=False).digest()
    return uuid.UUID(bytes=hashed[:16], version=3)


def type_name_of(value: ReferenceLike) -> str:
    """Return the registered name of a reference or mutator; TypeError if it has none."""
    name: str = getattr(type(value), "type", "")
    if not name:
        raise TypeError(
            f"{type(value).__name__} is registered under no name: @reference('module::Name') does that"
        )
    return name


def _argument_data(name: str, value: Any, holder: ReferenceLike) -> dict[str, Any]:
    from sabir.languages.inmanta.evaluate.plugins.engine.resources import Resource

    if isinstance(value, Reference):
        return {"type": "reference", "name": name, "id": str(value.serialize_arguments()[0])}
    if isinstance(value, Resource):
        return {"type": "resource", "name": name, "id": value.id.resource_str()}
    if value is None or isinstance(value, str | int | float | bool):
        return {"type": "literal", "name": name, "value": value}
    if isinstance(value, list | dict):
        return {"type": "json", "name": name, "value": value}
    if isinstance(value, type) and value.__name__ in _PYTHON_TYPES:
        return {"type": "python_type", "name": name, "value": value.__name__}
    raise TypeError(f"the argument {name!r} of {type(holder).__name__} cannot be written down: {value!r}")


class Reference(ReferenceLike, Late, Generic[T]):
    """A value that `resolve` looks up during deployment."""

    def resolve(self, logger: Any) -> T:
        raise NotImplementedError

    def get(self, logger: Any) -> T:
        """Return the value, looked up once."""
        if "_value" in self.__dict__:
            logger.debug("Using cached value for reference %(reference)s", reference=repr(self))
        if "_value" not in self.__dict__:
            if self.__dict__.get("_resolving"):
                raise ReferenceCycleException(f"the reference {self!r} needs itself")
            self.__dict__["_resolving"] = True
            try:
                self.__dict__["_value"] = self.resolve(logger)
            finally:
                self.__dict__["_resolving"] = False
        value: T = self.__dict__["_value"]
        return value

    def serialize(self) -> dict[str, Any]:
        identity, arguments = self.serialize_arguments()
        return {"type": type_name_of(self), "args": arguments, "id": str(identity)}

    @classmethod
    def get_reference_type(cls) -> type | None:
        """Return the type of the value as the class declares it: `Reference[str]`."""
        for base in getattr(cls, "__orig_bases__", ()):
            arguments = getattr(base, "__args__", ())
            if arguments and isinstance(arguments[0], type):
                return arguments[0]
        return None

    def __bool__(self) -> NoReturn:
        raise TypeError(f"{self!r} is a reference, whose value is not known while a model is evaluated")


class Mutator(ReferenceLike):
    """Changes a resource before its handler gets it."""

    def run(self, logger: Any) -> None:
        raise NotImplementedError

    def serialize(self) -> dict[str, Any]:
        return {"type": type_name_of(self), "args": self.serialize_arguments()[1]}


class ReplaceValue(Mutator):
    """Sets a field to the value of a reference."""

    type = REPLACE

    def __init__(self, resource: Any, value: Reference[Any], destination: str) -> None:
        self.resource = resource
        self.value = value
        self.destination = destination

    def run(self, logger: Any) -> None:
        first, *rest = _parse_path(self.destination)
        value = self.resolve_other(self.value, logger)
        if not rest:
            setattr(self.resource, str(first), value)
            return
        holder = getattr(self.resource, str(first))
        for step in rest[:-1]:
            holder = holder[step]
        holder[rest[-1]] = value


def _parse_path(path: str) -> list[str | int]:
    """Return the steps of `field.'key'[0]`."""
    import re

    steps: list[str | int] = []
    for match in re.finditer(r"'((?:[^'\\]|\\.)*)'|\[(\d+)\]|([^.\[\]']+)", path):
        quoted, index, word = match.groups()
        steps.append(
            int(index)
            if index is not None
            else re.sub(r"\\(.)", r"\1", quoted)
            if quoted is not None
            else word
        )
    return steps


class Registrations:
    """The references and mutators of a project by name. Its methods are the decorators."""

    def __init__(self) -> None:
        self.references: dict[str, type[Reference[Any]]] = {}
        self.mutators: dict[str, type[Mutator]] = {REPLACE: ReplaceValue}
        self.facts: Mapping[tuple[str, str], str] = {}
        """What is known about resources, by their ids and the names of the facts."""

    def reference(self, name: str) -> Callable[[type], type]:
        return _register_as(name, self.references)

    def mutator(self, name: str) -> Callable[[type], type]:
        return _register_as(name, self.mutators)


def _register_as(name: str, classes: dict[str, Any]) -> Callable[[type], type]:
    def register(cls: Any) -> Any:
        cls.type = name
        classes[name] = cls
        return cls

    return register


def is_reference_of(instance: object, type_class: type) -> bool:
    """Return whether a value is a reference whose declared type is this class."""
    return isinstance(instance, Reference) and instance.get_reference_type() is type_class


def find_references(value: Any, path: str) -> Iterator[tuple[str, Reference[Any]]]:
    """Yield the references in a value, each with its path."""
    if isinstance(value, Reference):
        yield path, value
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from find_references(item, f"{path}.'{_escape_key(key)}'")
    elif isinstance(value, list | tuple):
        for index, item in enumerate(value):
            yield from find_references(item, f"{path}[{index}]")


def _escape_key(key: object) -> str:
    return str(key).replace("\\", "\\\\").replace("'", "\\'")


def resolve_all(resource: Any, logger: Any) -> None:
    """Resolve the references of a resource, and set its fields to the values."""
    registrations: Registrations = resource.__dict__.get("_registrations") or Registrations()
    written = {entry["id"]: entry for entry in resource.references or ()}
    looked_up: dict[str, Reference[Any]] = {}

    def reference(identity: str) -> Reference[Any]:
        if identity not in looked_up:
            entry = written[identity]
            looked_up[identity] = _build_instance(registrations.references, entry, argument)
            looked_up[identity].__dict__["_facts"] = registrations.facts
        return looked_up[identity]

    def argument(entry: Mapping[str, Any]) -> Any:
        kind = entry["type"]
        if kind == "reference":
            return reference(entry["id"])
        if kind == "resource":
            return resource
        if kind == "python_type":
            return _PYTHON_TYPES[entry["value"]]
        return entry.get("value")

    for entry in resource.mutators or ():
        _build_instance(registrations.mutators, entry, argument).run(logger)


def _build_instance(
    classes: Mapping[str, Any], entry: Mapping[str, Any], argument: Callable[[Mapping[str, Any]], Any]
) -> Any:
    cls = classes.get(entry["type"])
    if cls is None:
        raise TypeError(f"no class is registered under {entry['type']!r}")
    return cls(**{written["name"]: argument(written) for written in entry["args"]})
