"""Objects, casts of objects, and the interface of all values that are not plain data.

`HostValue` is that interface: types, reflection and system objects implement it as well. The expression
engine asks `HostObjects` for their attributes and methods.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import RelatedLocation
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import Variables
from sabir.expressions.yaql.kinds import EmbeddedObject
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.syntax.rules import FailureRule, failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.initialisation import ObjectInitializer
    from sabir.languages.muranopl.model.classes import MuranoClass
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


# Keys of the variables of a running method, beside its locals. No variable can have such a name.
THIS = "this"
CONTEXT = "@"  # the `MethodContext`: whose code is running
DEPTH = "#"  # the call depth
RESULT = "^"  # the value of `Return`
AT = "~"  # the location of the running assignment, if it is recorded
CALLER = "<"  # the variables of the calling code
# The targets of the running assignments, for which objects are created, each as (outer targets, its text).
MAKING = ">"  # in this method
MADE_FOR = "»"  # in the calling methods

NO_WRITE_ACCESS: Final = failure_rule(
    "NoWriteAccessError",
    "MRUN:E011",
    "a property that the code may not write",
    "Properties of usage In and Const belong to the user; beside the user only the constructor of their object sets them. "
    "Results of a workflow need Out or InOut, and only code of the class itself, its ancestors and descendants may write "
    "them.",
)
UNDECLARED_READ: Final = failure_rule(
    "PropertyReadError",
    "MRUN:E012",
    "reading a property that a class does not declare",
    "Other classes see only what a class declares; what it wrote without declaring it is private to it.",
)


class HostValue(EmbeddedObject):
    """A value whose attributes and methods sabir looks up. Compared by identity unless a subclass overrides that."""

    __slots__ = ()

    def get_attribute(self, name: str, variables: Variables) -> Any:
        del variables
        raise MuranoError(UNDECLARED_READ, f"{self} has no property {name!r}")

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        """Return a callable for evaluated arguments; None to continue with the functions of the library."""
        del name, variables
        return None


class HostObjects:
    """Answers the expression engine's lookups on host values."""

    __slots__ = ()

    def attribute(self, value: HostValue, name: str, variables: Variables) -> Any:
        return value.get_attribute(name, variables)

    def method(self, value: HostValue, name: str, variables: Variables) -> Callable[..., Any] | None:
        return value.find_method(name, variables)


def current_class(variables: Variables) -> MuranoClass | None:
    """Return the class whose code is running; None if the call comes from outside."""
    context = variables.get(CONTEXT)
    return None if context is None else context.cls


UNDECLARED_WRITE: Final = failure_rule(
    "PropertyWriteError",
    "MRUN:E013",
    "writing a property that a class does not declare",
    "Only a class itself can have private properties; give it a declared property or a method instead.",
)
NO_VALUE_YET: Final = failure_rule(
    "UninitializedPropertyAccessError",
    "MRUN:E014",
    "a property that has no value yet",
    "A private property must be written before it is read; a contract can look at other properties but not at its own.",
)


class MuranoObject(HostValue):
    """An object. Declared properties are in `properties`; undeclared ones are private to the class that wrote them."""

    __slots__ = (
        "__weakref__",
        "cls",
        "header",
        "id",
        "initialising",
        "is_destroyed",
        "name",
        "native",
        "owner",
        "private",
        "properties",
    )

    def __init__(self, cls: MuranoClass, id_: str, owner: MuranoObject | None) -> None:
        self.cls = cls
        self.id = id_
        self.owner = owner
        self.name: str | None = None
        self.properties: dict[str, Any] = {}
        self.private: dict[tuple[MuranoClass, str], Any] | None = None
        self.header: dict[str, Any] | None = None
        """Entries of the `?` header that are not ours; written back as they came."""
        self.initialising: ObjectInitializer | None = None
        self.native: Any = None
        self.is_destroyed = False

    # -- reading ---------------------------------------------------------------------------------------------------

    def get_attribute(self, name: str, variables: Variables) -> Any:
        cls = self.cls
        context = variables.get(CONTEXT)
        if context is None or (context.cls is not cls and context.cls not in cls.ancestors):
            return self.get_public(name, cls)
        cls = context.cls
        declaration = cls.members.get(name)
        if declaration is None:
            return self._get_private(name, cls)
        if declaration.is_static:
            return declaration.cls.static_value(name)
        try:
            return self.properties[name]
        except KeyError:
            return self._not_there(name)

    def get_public(self, name: str, cls: MuranoClass) -> Any:
        """Return a property as code of other classes sees it: only properties that `cls` declares."""
        declaration = cls.members.get(name)
        if declaration is None:
            raise _no_property_error(UNDECLARED_READ, name, cls)
        if declaration.is_static:
            return self.cls.members[name].cls.static_value(name)
        try:
            return self.properties[name]
        except KeyError:
            return self._not_there(name)

    def _get_private(self, name: str, cls: MuranoClass) -> Any:
        if self.private is not None and (cls, name) in self.private:
            return self.private[cls, name]
        raise MuranoError(
            NO_VALUE_YET,
            f"property {name!r} of {cls.name} has no value: it is not declared and was never written",
            hint=did_you_mean(name, cls.members),
        )

    def _not_there(self, name: str) -> Any:
        if self.initialising is not None:
            return self.initialising.value_of(name)
        raise MuranoError(NO_VALUE_YET, f"property {name!r} of {self.cls.name} has no value yet")

    # -- writing ---------------------------------------------------------------------------------------------------

    def set_attribute(self, name: str, value: Any, variables: Variables) -> None:
        context = variables.get(CONTEXT)
        cls = self.cls
        if context is None:
            self._set_declared(name, value, cls)
        elif context.cls is cls or context.cls in cls.ancestors:
            if name in context.cls.members:
                self._check_access(name)
                self._set_declared(name, value, cls)
                if cls.runtime.written is not None and AT in variables:
                    cls.runtime.written[self.id, name] = variables[AT]
            else:
                if self.private is None:
                    self.private = {}
                self.private[context.cls, name] = value
        elif name in cls.members:
            raise MuranoError(
                NO_WRITE_ACCESS,
                f"{context.cls.name} may not write property {name!r} of {cls.name}",
                hint="only code of the class itself, its ancestors and descendants may; give it a method that does",
            )
        else:
            raise _no_property_error(UNDECLARED_WRITE, name, cls)

    def _check_access(self, name: str) -> None:
        """Reject writes to input properties after the constructor of the object has ended."""
        for declaration in self.cls.declared[name]:
            if not declaration.is_writable and self not in self.cls.runtime.constructing:
                raise _no_access(declaration)

    def _set_declared(self, name: str, value: Any, cls: MuranoClass) -> None:
        declarations = cls.declared.get(name)
        if declarations is None:
            raise _no_property_error(UNDECLARED_WRITE, name, cls)
        first = declarations[0]
        loader = cls.runtime.loader
        if first.is_static:
            first.cls.static_values[name] = first.convert(value, first.cls, loader)
            return
        converted = first.convert(value, self, loader)
        for other in declarations[1:]:  # a redeclared property conforms to the contracts of all ancestors
            other.conform(converted, self, loader)
        self.properties[name] = converted

    # -- the rest --------------------------------------------------------------------------------------------------

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        method = self.cls.lookup(name)
        if method is None:
            return None
        if self.is_destroyed:
            raise MuranoError(
                UNUSABLE_VALUE,
                f"{self!r} is destroyed, its methods cannot be called",
                kind="ObjectDestroyedError",
            )
        if method.node.usage == "Extension":
            return method.bind_call(method.cls, variables, self)
        return method.bind_call(self, variables)

    def described_methods(self) -> tuple[str, set[str]]:
        """What a message says when a method is missing."""
        return self.cls.described_methods()

    def is_owned_by(self, other: object) -> bool:
        """Tell whether the other object is a direct or indirect owner."""
        owner = self.owner
        while owner is not None:
            if owner is other:
                return True
            owner = owner.owner
        return False

    def nearest_owner(self, cls: MuranoClass) -> MuranoObject | None:
        owner = self.owner
        while owner is not None and not owner.cls.is_a(cls):
            owner = owner.owner
        return owner

    def __repr__(self) -> str:
        return f"{self.cls.name} {self.name or self.id!r}"


class ObjectView(HostValue):
    """An object seen as one of its ancestors: method lookup starts there, calls inside remain virtual."""

    __slots__ = ("cls", "object")

    def __init__(self, object_: MuranoObject, cls: MuranoClass) -> None:
        self.object = object_
        self.cls = cls

    def get_attribute(self, name: str, variables: Variables) -> Any:
        context = variables.get(CONTEXT)
        if context is not None and context.cls is self.cls:
            return self.object.get_attribute(name, variables)
        return self.object.get_public(name, self.cls)

    def set_attribute(self, name: str, value: Any, variables: Variables) -> None:
        self.object.set_attribute(name, value, variables)

    def find_method(self, name: str, variables: Variables) -> Callable[..., Any] | None:
        method = self.cls.lookup(name)
        if method is None:
            return None
        return method.bind_call(self.object, variables)

    def described_methods(self) -> tuple[str, set[str]]:
        return self.cls.described_methods()

    def __eq__(self, other: object) -> bool:
        return self.object is unwrap_object(other)

    def __hash__(self) -> int:
        return hash(self.object)

    def __repr__(self) -> str:
        return repr(self.object)


def unwrap_object(value: Any) -> Any:
    """Return the object behind a cast; any other value unchanged."""
    return value.object if isinstance(value, ObjectView) else value


def _no_property_error(rule: FailureRule, name: str, cls: MuranoClass) -> MuranoError:
    return MuranoError(
        rule, f"{cls.name} declares no property {name!r}", hint=did_you_mean(name, cls.members)
    )


def _no_access(declaration: PropertyDeclaration) -> MuranoError:
    return MuranoError(
        NO_WRITE_ACCESS,
        f"property {declaration.name!r} of {declaration.cls.name} has Usage {declaration.usage} "
        "and cannot be written by a workflow",
        hint="`Usage: Out` or `InOut` allows it",
        related=(RelatedLocation(place=declaration.place, message="declared here"),),
    )
