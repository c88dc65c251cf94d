"""A class at run time: its position in the hierarchy, and lookup tables of its members.

Tables are filled once, when the class is built, and methods are looked up once per name; after that an access
is one dictionary lookup.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import Variables
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.objects import CONTEXT, NO_WRITE_ACCESS, HostValue
from sabir.languages.muranopl.syntax.rules import failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.methods import Method
    from sabir.languages.muranopl.evaluate.packages import MuranoPackage
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.model.engines import ClassEngine
    from sabir.languages.muranopl.model.properties import PropertyDeclaration
    from sabir.languages.muranopl.syntax.nodes import ClassNode


AMBIGUOUS_METHOD: Final = failure_rule(
    "AmbiguousMethodName",
    "MRUN:E015",
    "a method that two unrelated parents define",
    "Methods are chosen by overriding, not by the order of parents: override the method in the class, or choose a "
    "parent with cast.",
)
AMBIGUOUS_PROPERTY: Final = failure_rule(
    "AmbiguousPropertyNameError",
    "MRUN:E016",
    "a property that two unrelated parents declare",
    "It would be unclear which contract and default count. Declare the property in the class itself, or rename one.",
)
NO_STATIC_PROPERTY: Final = failure_rule(
    "NoPropertyFound",
    "MRUN:E018",
    "a class has no static property of this name",
    "Without an object only static properties can be reached; declare it with `Usage: Static`.",
)
WRONG_CALL: Final = failure_rule(
    "NoMethodFound",
    "MRUN:E023",
    "a method that does not exist or cannot be called so",
    "Arguments are given by position or name; too many, unknown or doubled ones are refused. Calls from outside reach only "
    "methods with `Scope: Public` or `Usage: Action`.",
)


class ClassContext:
    """The class whose code is running, and the method if it is the body of one."""

    __slots__ = ("cls", "method")

    def __init__(self, cls: MuranoClass, method: Method | None = None) -> None:
        self.cls = cls
        self.method = method


class MuranoClass(HostValue):
    """A class. As a value it is the type itself: the result of `:Name`, and `$this` in static methods."""

    __slots__ = (
        "_methods_by_name",
        "action_names",
        "ancestors",
        "constructors",
        "context",
        "declared",
        "destructors",
        "engine",
        "instance_names",
        "lineage",
        "members",
        "metadata",
        "name",
        "native",
        "node",
        "own_methods",
        "own_properties",
        "package",
        "parents",
        "references",
        "runtime",
        "static_values",
        "written_names",
    )

    def __init__(
        self, node: ClassNode, package: MuranoPackage, runtime: Runtime, parents: tuple[MuranoClass, ...]
    ) -> None:
        self.name = node.name
        self.node = node
        self.package = package
        self.runtime = runtime
        self.parents = parents
        self.lineage = _build_lineage(self, parents)
        self.ancestors: frozenset[MuranoClass] = frozenset(self.lineage)
        self.context = ClassContext(self)
        self.engine: ClassEngine
        self.native: type | None = None
        """The Python class that does the work of a system class."""
        self.own_properties: dict[str, PropertyDeclaration] = {}
        self.own_methods: dict[str, Method] = {}
        self.declared: dict[str, tuple[PropertyDeclaration, ...]] = {}
        """Every property of the hierarchy with all its declarations, the most derived first."""
        self.members: dict[str, PropertyDeclaration] = {}
        """The declaration that counts for each property."""
        self.static_values: dict[str, Any] = {}
        self.metadata: dict[tuple[str, str], tuple[Any, ...]] = {}
        """Meta objects that it attaches itself, by target and member, made when they are first asked for."""
        self.references: tuple[str, ...] | None = None
        """The properties whose objects are written as references; None: not looked at yet."""
        self.instance_names: tuple[str, ...] = ()
        """Properties that every object has a value of, those of ancestors first."""
        self.written_names: tuple[str, ...] = ()
        """Properties that the object model holds."""
        self.constructors: tuple[Method, ...] = ()
        """`.init` methods, those of ancestors first, each once."""
        self.destructors: tuple[Method, ...] = ()
        """`.destroy` methods, the most derived first."""
        self.action_names: tuple[str, ...] = ()
        self._methods_by_name: dict[str, Method | None] = {}

    def link(self) -> None:
        """Fill the tables, once the class's own members are known."""
        for cls in reversed(self.lineage):
            for name in cls.own_properties:
                if name not in self.declared:
                    self.declared[name] = self._declarations(name)
                    self.members[name] = self.declared[name][0]
        members = self.members.items()
        self.instance_names = tuple(name for name, member in members if not member.is_static)
        self.written_names = tuple(name for name, member in members if member.is_written_out)
        self.action_names = tuple(method.name for method in self.list_public_methods())
        methods_of_classes = (cls.own_methods for cls in _bases_first(self))
        constructors = (methods.get(".init") or methods.get("initialize") for methods in methods_of_classes)
        self.constructors = tuple(method for method in constructors if method is not None)
        destructors = (
            cls.own_methods.get(".destroy") or cls.own_methods.get("destroy") for cls in self.lineage
        )
        self.destructors = tuple(
            method for method in destructors if method is not None and not method.arguments
        )

    def takes_from_model(self, name: object) -> bool:
        """Tell whether a constructor has an argument with this name, which the model may set like a property."""
        return any(name in method.argument_names for method in self.constructors)

    def _declarations(self, name: str) -> tuple[PropertyDeclaration, ...]:
        having = [cls for cls in self.lineage if name in cls.own_properties]
        top = _most_derived(having)
        if len(top) > 1:
            raise MuranoError(
                AMBIGUOUS_PROPERTY,
                f"property {name!r} of {self.name} is declared by {' and by '.join(cls.name for cls in top)}, "
                "neither of which extends the other",
                place=top[1].own_properties[name].place,
                hint=f"declare {name!r} in {self.name}, or rename one of the two",
            )
        return tuple(
            cls.own_properties[name]
            for cls in (*top, *(declaring for declaring in having if declaring not in top))
        )

    @property
    def full_name(self) -> str:
        """The name with version and package, as a model stores a class that is a value."""
        return f"{self.name}/{self.package.manifest.version}@{self.package.name}"

    def is_a(self, other: MuranoClass) -> bool:
        return other in self.ancestors

    def resolve(self, name: str) -> MuranoClass:
        """Return the class that a name refers to inside this one."""
        return self.runtime.class_named(name, self)

    # -- methods ---------------------------------------------------------------------------------------------------

    def lookup(self, name: str) -> Method | None:
        """Return the method with a name: the nearest override; two unrelated ones are an error."""
        try:
            return self._methods_by_name[name]
        except KeyError:
            pass
        having = [cls for cls in self.lineage if name in cls.own_methods]
        top = _most_derived(having)
        if len(top) > 1:
            raise MuranoError(
                AMBIGUOUS_METHOD,
                f"method {name!r} of {self.name} is defined by {' and by '.join(cls.name for cls in top)}, "
                "neither of which overrides the other",
                place=top[1].own_methods[name].place,
                hint=f"override {name!r} in {self.name}, or choose with `cast`",
            )
        method = top[0].own_methods[name] if top else None
        self._methods_by_name[name] = method
        return method

    def override(self, name: str, method: Method) -> None:
        """Replace a method, for this class and those that extend it."""
        self.own_methods[name] = method
        for cls in self.runtime.list_classes():
            cls.forget_methods()

    def forget_methods(self) -> None:
        """Drop the results of method lookups, because a class has a different method now."""
        self._methods_by_name.clear()

    def described_methods(self) -> tuple[str, set[str]]:
        return self.name, self.method_names()

    def method_names(self) -> set[str]:
        return {name for cls in self.lineage for name in cls.own_methods}

    def list_public_methods(self) -> list[Method]:
        """Return the methods that can be called from outside, by name."""
        methods = [method for name in sorted(self.method_names()) if (method := self._unambiguous(name))]
        return [method for method in methods if method.is_exposed]

    def _unambiguous(self, name: str) -> Method | None:
        top = _most_derived([cls for cls in self.lineage if name in cls.own_methods])
        return top[0].own_methods[name] if len(top) == 1 else None

    # -- as a value ------------------------------------------------------------------------------------------------

    def get_attribute(self, name: str, variables: Variables) -> Any:
        del variables
        declaration = self.members.get(name)
        if declaration is not None and declaration.is_static:
            return declaration.cls.static_value(name)
        raise self._no_static(name)

    def set_attribute(self, name: str, value: Any, variables: Variables) -> None:
        declaration = self.members.get(name)
        if declaration is None or not declaration.is_static:
            raise self._no_static(name)
        context = variables.get(CONTEXT)
        if context is not None and not (self.is_a(context.cls) or context.cls.is_a(self)):
            raise MuranoError(
                NO_WRITE_ACCESS, f"{context.cls.name} may not write property {name!r} of {self.name}"
            )
        declaration.cls.static_values[name] = declaration.convert(value, self, self.runtime.loader)

    def static_value(self, name: str) -> Any:
        try:
            return self.static_values[name]
        except KeyError:
            declaration = self.own_properties[name]
            return declaration.initialise_static()

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        method = self.lookup(name)
        if method is None:
            return None
        if not method.is_static:
            raise MuranoError(
                WRONG_CALL,
                f"method {name!r} of {self.name} needs an object, it is not static",
                hint="declare it with `Usage: Static`, or call it on an object",
            )
        return method.bind_call(self, variables)

    def _no_static(self, name: str) -> MuranoError:
        statics = [member.name for member in self.members.values() if member.is_static]
        fault = "is not static" if name in self.members else "does not exist"
        return MuranoError(
            NO_STATIC_PROPERTY, f"property {name!r} of {self.name} {fault}", hint=did_you_mean(name, statics)
        )

    def __repr__(self) -> str:
        return self.name


def _build_lineage(cls: MuranoClass, parents: tuple[MuranoClass, ...]) -> tuple[MuranoClass, ...]:
    """Return the class and all its ancestors, each once: level by level, in the order of `Extends`."""
    lineage: dict[MuranoClass, None] = {cls: None}
    level = list(parents)
    while level:
        lineage.update(dict.fromkeys(level))
        level = [parent for class_ in level for parent in class_.parents if parent not in lineage]
    return tuple(lineage)


def _bases_first(cls: MuranoClass) -> list[MuranoClass]:
    visited: dict[MuranoClass, None] = {}

    def visit(class_: MuranoClass) -> None:
        if class_ not in visited:
            for parent in class_.parents:
                visit(parent)
            visited[class_] = None

    visit(cls)
    return list(visited)


def _most_derived(having: list[MuranoClass]) -> list[MuranoClass]:
    """Return those that no other one extends: a definition is hidden by any definition of a descendant (notes, 9)."""
    if len(having) < 2:
        return having
    return [
        candidate
        for candidate in having
        if not any(other is not candidate and candidate in other.ancestors for other in having)
    ]
