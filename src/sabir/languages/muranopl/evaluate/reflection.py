"""Reflection, the result of `typeinfo`: types, properties, methods, arguments and packages as values."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.evaluate.metadata import (
    meta_of_argument,
    meta_of_class,
    meta_of_method,
    meta_of_package,
    meta_of_property,
)
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import UNDECLARED_READ, HostValue, MuranoObject, unwrap_object

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.arguments import MethodArgument
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.properties import PropertyDeclaration
    from sabir.languages.muranopl.syntax.manifest import Version


TARGETS: Final = ("Package", "Type", "Property", "Method", "Argument")
"""What `Applies: All` means."""


class _ReflectionValue(HostValue):
    """A value with named facts, computed on access, and a few methods."""

    __slots__ = ()

    def facts(self) -> dict[str, Callable[[], Any]]:
        return {}

    def get_attribute(self, name: str, variables: Variables) -> Any:
        del variables
        facts = self.facts()
        if name not in facts:
            raise MuranoError(
                UNDECLARED_READ, f"{self} has no property {name!r}", hint=did_you_mean(name, facts)
            )
        return facts[name]()


class TypeInfo(_ReflectionValue):
    """A type: its name, version, package, ancestors, members and meta objects."""

    __slots__ = ("cls",)

    def __init__(self, cls: MuranoClass) -> None:
        self.cls = cls

    def facts(self) -> dict[str, Callable[[], Any]]:
        cls = self.cls
        return {
            "name": lambda: cls.name,
            "type": lambda: cls,
            "version": lambda: VersionInfo(cls.package.manifest.version),
            "package": lambda: MuranoPackageInfo(cls),
            "usage": lambda: cls.node.usage,
            "parents": lambda: [TypeInfo(item) for item in cls.parents],
            "ancestors": lambda: [TypeInfo(item) for item in cls.lineage[1:]],
            "properties": lambda: [PropertyInfo(item) for item in cls.members.values()],
            "methods": lambda: [MethodInfo(item) for item in self._methods()],
            "meta": lambda: meta_of_class(cls),
            **(self._meta_facts() if cls.node.usage == "Meta" else {}),
        }

    def _meta_facts(self) -> dict[str, Callable[[], Any]]:
        node = self.cls.node
        return {
            "cardinality": lambda: node.cardinality,
            "targets": lambda: list(TARGETS if "All" in (node.applies or ("All",)) else node.applies),
            "inherited": lambda: node.inherited,
        }

    def _methods(self) -> list[Method]:
        names = (name for name in sorted(self.cls.method_names()) if not name.startswith((".", "__")))
        methods = (self.cls.lookup(name) for name in names)
        return [method for method in methods if method is not None]

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        del variables
        if name != "newInstance":
            return None

        def new_instance(owner: Any = None, **properties: Any) -> Any:
            return self.cls.runtime.loader.instantiate({self.cls: properties}, unwrap_object(owner), self.cls)

        return new_instance

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TypeInfo) and other.cls is self.cls

    def __hash__(self) -> int:
        return hash(self.cls)

    def __repr__(self) -> str:
        return self.cls.name


class PropertyInfo(_ReflectionValue):
    """A declared property: its name, usage, declaring type, and access to the value on an object."""

    __slots__ = ("declaration",)

    def __init__(self, declaration: PropertyDeclaration) -> None:
        self.declaration = declaration

    def facts(self) -> dict[str, Callable[[], Any]]:
        declaration = self.declaration
        return {
            "name": lambda: declaration.name,
            "usage": lambda: declaration.usage,
            "hasDefault": lambda: declaration.default is not None,
            "declaringType": lambda: TypeInfo(declaration.cls),
            "meta": lambda: meta_of_property(declaration),
        }

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        declaration = self.declaration

        def get_value(target: Any = None) -> Any:
            if declaration.is_static:
                return declaration.cls.static_value(declaration.name)
            return self._object(target).get_attribute(declaration.name, variables)

        def set_value(target: Any, value: Any) -> None:
            owner = declaration.cls if declaration.is_static else self._object(target)
            owner.set_attribute(declaration.name, value, variables)

        methods: dict[str, Callable[..., Any]] = {"getValue": get_value, "setValue": set_value}
        return methods.get(name)

    def _object(self, target: Any) -> MuranoObject:
        target = unwrap_object(target)
        if not isinstance(target, MuranoObject):
            raise MuranoError(UNUSABLE_VALUE, f"property {self.declaration.name!r} belongs to an object")
        return target

    def __repr__(self) -> str:
        return f"{self.declaration.cls.name}.{self.declaration.name}"


class MethodInfo(_ReflectionValue):
    """A method: its name, usage, declaring type and arguments; it can be called."""

    __slots__ = ("method",)

    def __init__(self, method: Method) -> None:
        self.method = method

    def facts(self) -> dict[str, Callable[[], Any]]:
        method = self.method
        every = [
            *method.arguments,
            *(argument for argument in (method.rest, method.keywords) if argument is not None),
        ]
        return {
            "name": lambda: method.name,
            "usage": lambda: method.node.usage,
            "scope": lambda: method.node.scope or "Session",
            "arguments": lambda: [ArgumentInfo(argument, method) for argument in every],
            "declaringType": lambda: TypeInfo(method.cls),
            "meta": lambda: meta_of_method(method),
        }

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        if name != "invoke":
            return None
        method = self.method

        def invoke(target: Any = None, *args: Any, **kwargs: Any) -> Any:
            this = method.cls if method.is_static else unwrap_object(target)
            return method.invoke(this, variables, *args, **kwargs)

        return invoke

    def __repr__(self) -> str:
        return self.method.full_name


class ArgumentInfo(_ReflectionValue):
    """A declared argument of a method, its default and its usage."""

    __slots__ = ("argument", "method")

    def __init__(self, argument: MethodArgument, method: Method) -> None:
        self.argument = argument
        self.method = method

    def facts(self) -> dict[str, Callable[[], Any]]:
        argument = self.argument
        return {
            "name": lambda: argument.name,
            "usage": lambda: argument.node.usage,
            "hasDefault": lambda: argument.default is not None,
            "declaringMethod": lambda: MethodInfo(self.method),
            "meta": lambda: meta_of_argument(argument, self.method.cls),
        }

    def __repr__(self) -> str:
        return f"{self.method.full_name}.{self.argument.name}"


class MuranoPackageInfo(_ReflectionValue):
    """A package as seen from one of its classes: its name, version and types."""

    __slots__ = ("cls", "package")

    def __init__(self, cls: MuranoClass) -> None:
        self.cls = cls
        self.package = cls.package

    def facts(self) -> dict[str, Callable[[], Any]]:
        package, runtime = self.package, self.cls.runtime
        return {
            "name": lambda: package.name,
            "version": lambda: VersionInfo(package.manifest.version),
            "types": lambda: [
                TypeInfo(runtime.find_class(name, package)) for name in sorted(package.class_names())
            ],
            "meta": lambda: meta_of_package(self.cls),
        }

    def __repr__(self) -> str:
        return self.package.name


class VersionInfo(_ReflectionValue):
    """The parts of a version as numbers."""

    __slots__ = ("version",)

    def __init__(self, version: Version) -> None:
        self.version = version

    def facts(self) -> dict[str, Callable[[], Any]]:
        version = self.version
        return {
            "major": lambda: version.major,
            "minor": lambda: version.minor,
            "patch": lambda: version.patch,
            "prerelease": lambda: version.pre.split(".") if version.pre else [],
        }

    def __eq__(self, other: object) -> bool:
        return isinstance(other, VersionInfo) and other.version == self.version

    def __hash__(self) -> int:
        return hash(self.version)

    def __repr__(self) -> str:
        return str(self.version)
