"""Dataclasses that cost nothing until they are used.

The decorator of the standard library writes and compiles half a dozen methods for each class when its module is imported,
and needs `inspect` for it. A command loads a hundred such classes and makes instances of twenty: that was a third of the
time it took to start. This decorator takes the same words and makes the same methods, but each of them when it is called for
the first time. What nobody here uses (`order`, `InitVar`, `match_args=False` …) is left out.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, TypeVar, dataclass_transform, overload

from msgspec import Struct, structs

__all__ = ["Field", "FrozenInstanceError", "dataclass", "field", "fields", "replace"]

T = TypeVar("T")

_FIELDS: Final = "__dataclass_fields__"
_FEW: Final = 3


class FrozenInstanceError(AttributeError):
    """Something tried to change an instance of a frozen class."""


class _Missing:
    def __repr__(self) -> str:
        return "<factory>"  # as a default in a signature


_MISSING: Final[Any] = _Missing()


class Field:
    """One field of a class, as it was declared."""

    __slots__ = ("compare", "default", "factory", "init", "kw_only", "name", "repr", "type")

    name: str
    type: Any
    kw_only: bool

    def __init__(self, default: Any, factory: Any, init: bool, repr_: bool, compare: bool) -> None:  # noqa: FBT001
        self.default = default
        self.factory = factory
        self.init = init
        self.repr = repr_
        self.compare = compare

    @property
    def _field_type(self) -> object:
        """What `fields`, `asdict` and `is_dataclass` of the standard library look for: they know our classes, too."""
        import dataclasses

        return dataclasses._FIELD  # type: ignore[attr-defined]  # the only mark of a field there is


@overload
def field(*, default: T, init: bool = ..., repr: bool = ..., compare: bool = ...) -> T: ...
@overload
def field(
    *, default_factory: Callable[[], T], init: bool = ..., repr: bool = ..., compare: bool = ...
) -> T: ...
@overload
def field(*, init: bool = ..., repr: bool = ..., compare: bool = ...) -> Any: ...
def field(
    *,
    default: Any = _MISSING,
    default_factory: Any = _MISSING,
    init: bool = True,
    repr: bool = True,  # noqa: A002  the words are those of the standard library
    compare: bool = True,
) -> Any:
    """What a field needs beyond its annotation."""
    return Field(default, default_factory, init, repr, compare)


@dataclass_transform(field_specifiers=(field,))
def dataclass(
    *,
    frozen: bool = False,
    slots: bool = False,
    kw_only: bool = False,
    eq: bool = True,
    init: bool = True,
    repr: bool = True,  # noqa: A002  the words are those of the standard library
    unsafe_hash: bool = False,
) -> Callable[[type[T]], type[T]]:
    """The decorator; every word means what it means in `dataclasses.dataclass`."""

    def decorate(cls: type[T]) -> type[T]:
        own = _own_fields(cls, kw_only=kw_only)
        known: dict[str, Field] = {}
        for parent in reversed(cls.__mro__[1:]):
            known |= parent.__dict__.get(_FIELDS, {})
        made = _with_slots(cls, own, [name for name in own if name not in known]) if slots else cls
        known |= own
        written = cls.__dict__
        methods: dict[str, Any] = {
            _FIELDS: known,
            "__match_args__": tuple(name for name, one in known.items() if one.init and not one.kw_only),
        }
        if init:
            methods["__init__"] = _first_init(made)
            methods["__signature__"] = _Signature(made)
        if repr:
            methods["__repr__"] = _when_called(made, "__repr__", _repr)
        if eq:
            methods["__eq__"] = _when_called(made, "__eq__", _eq)
        if unsafe_hash or (eq and frozen):
            methods["__hash__"] = _when_called(made, "__hash__", _hash)
        elif eq:
            methods["__hash__"] = written.get("__hash__")
        if frozen:
            methods |= _FROZEN
            if slots:
                methods |= _PICKLED
        for name, method in methods.items():
            # A class body with `__eq__` has `__hash__ = None` by itself: nobody wrote that.
            if name not in written or (name == "__hash__" and written[name] is None):
                setattr(made, name, method)
        return made

    return decorate


def fields(cls: type[Any]) -> tuple[Field, ...]:
    """The fields of a class, inherited ones first."""
    return (*_fields(cls).values(),)


def replace(instance: T, /, **changes: Any) -> T:
    """A new instance of the same class with some fields changed."""
    if isinstance(instance, Struct):
        return structs.replace(instance, **changes)
    for name, one in _fields(type(instance)).items():
        if one.init and name not in changes:
            changes[name] = getattr(instance, name)
    return type(instance)(**changes)


def _fields(cls: type[Any]) -> Mapping[str, Field]:
    found: Mapping[str, Field] = getattr(cls, _FIELDS)
    return found


def _own_fields(cls: type[Any], *, kw_only: bool) -> dict[str, Field]:
    found: dict[str, Field] = {}
    for name, annotation in cls.__annotations__.items():
        if "ClassVar" in str(annotation):
            continue
        given = cls.__dict__.get(name, _MISSING)
        one = given if isinstance(given, Field) else Field(given, _MISSING, True, True, True)
        one.name, one.type, one.kw_only = name, annotation, kw_only
        found[name] = one
        if isinstance(given, Field):
            if one.default is _MISSING:
                delattr(cls, name)
            else:
                setattr(cls, name, one.default)
    return found


def _with_slots(cls: type[T], own: Iterable[str], new: Iterable[str]) -> type[T]:
    """The class anew, with slots for its new fields: they can be given only when a class is made."""
    namespace = {
        name: value
        for name, value in cls.__dict__.items()
        if name not in own and name not in ("__dict__", "__weakref__")
    }
    namespace["__slots__"] = tuple(new)
    metaclass: Callable[..., type[T]] = type(cls)
    made = metaclass(cls.__name__, cls.__bases__, namespace)
    made.__qualname__ = cls.__qualname__
    return made


def _when_called(cls: type[Any], name: str, make: Callable[[type[Any]], Any]) -> Any:
    """A method that makes itself, puts itself in its place, and goes on as if it had always been there."""

    def method(self: Any, *args: Any, **named: Any) -> Any:
        made = make(cls)
        made.__qualname__ = f"{cls.__qualname__}.{name}"
        setattr(cls, name, made)
        return made(self, *args, **named)

    return method


def _first_init(cls: type[Any]) -> Any:
    """The constructor of the first few instances: of many classes there are no more, and compiling costs as much as
    twenty of these."""
    left = _FEW

    def __init__(self: Any, *args: Any, **named: Any) -> None:  # noqa: N807
        nonlocal left
        left -= 1
        if left < 0 or not _filled(cls, self, args, named):
            made = _init(cls)
            made.__qualname__ = f"{cls.__qualname__}.__init__"
            cls.__init__ = made
            made(self, *args, **named)

    return __init__


def _filled(cls: type[Any], instance: Any, args: tuple[Any, ...], named: Mapping[str, Any]) -> bool:
    """Set the fields one by one; False when something is missing or too much, for the compiled constructor to say what."""
    given = dict(zip(cls.__match_args__, args, strict=False))
    if len(given) < len(args) or not given.keys().isdisjoint(named):
        return False
    given.update(named)
    for name, one in _fields(cls).items():
        if one.init and name in given:
            value = given.pop(name)
        elif one.factory is not _MISSING:
            value = one.factory()
        elif one.default is not _MISSING:
            value = one.default
        elif one.init:
            return False
        else:
            continue
        object.__setattr__(instance, name, value)
    if given:
        return False
    if hasattr(cls, "__post_init__"):
        instance.__post_init__()
    return True


class _Signature:
    """What `help` and editors show for a class: they would find no parameters in a method that is still to be made."""

    __slots__ = ("_cls",)

    def __init__(self, cls: type[Any]) -> None:
        self._cls = cls

    def __get__(self, instance: object, owner: type[Any]) -> Any:
        if instance is not None or owner.__init__ is not self._cls.__init__:
            raise AttributeError("__signature__")
        import inspect

        whole = inspect.signature(_init(self._cls))
        return whole.replace(parameters=[*whole.parameters.values()][1:])


def _compiled(head: str, body: Iterable[str], names: dict[str, Any]) -> Any:
    lines = "\n ".join(body) or "pass"
    exec(f"def method({head}):\n {lines}", names)  # noqa: S102  of the names of fields, which are ours
    return names["method"]


def _init(cls: type[Any]) -> Any:
    names: dict[str, Any] = {"_missing": _MISSING}
    guard: object = cls.__setattr__
    frozen = guard is _refuse_to_set
    positional, named, body = ["self"], list[str](), list[str]()
    for name, one in _fields(cls).items():
        value = name
        if one.init:
            parameter = name
            if one.factory is not _MISSING:
                parameter, value = f"{name}=_missing", f"_make_{name}() if {name} is _missing else {name}"
            elif one.default is not _MISSING:
                parameter = f"{name}=_default_{name}"
            (named if one.kw_only else positional).append(parameter)
        elif one.factory is not _MISSING:
            value = f"_make_{name}()"
        elif one.default is not _MISSING:
            value = f"_default_{name}"
        else:
            continue
        names[f"_make_{name}"], names[f"_default_{name}"] = one.factory, one.default
        if frozen:
            names[f"_set_{name}"] = _setter(cls, name)
            body.append(f"_set_{name}(self, {value})")
        else:
            body.append(f"self.{name} = {value}")
    if hasattr(cls, "__post_init__"):
        body.append("self.__post_init__()")
    made = _compiled(", ".join([*positional, "*", *named] if named else positional), body, names)
    made.__annotations__ = {one.name: one.type for one in _fields(cls).values() if one.init} | {
        "return": None
    }
    return made


def _setter(cls: type[Any], name: str) -> Callable[[Any, Any], None]:
    """What writes a field past the guard of a frozen class: its slot, or the instance's dictionary."""
    slot: Any = getattr(cls, name, None)
    if hasattr(type(slot), "__set__"):
        write: Callable[[Any, Any], None] = slot.__set__
        return write

    def set_entry(instance: Any, value: Any) -> None:
        instance.__dict__[name] = value

    return set_entry


def _compared(cls: type[Any], instance: str) -> str:
    return "(" + "".join(f"{instance}.{name}," for name, one in _fields(cls).items() if one.compare) + ")"


def _eq(cls: type[Any]) -> Any:
    body = (
        "if other.__class__ is self.__class__:",
        f" return {_compared(cls, 'self')} == {_compared(cls, 'other')}",
        "return NotImplemented",
    )
    return _compiled("self, other", body, {})


def _hash(cls: type[Any]) -> Any:
    return _compiled("self", [f"return hash({_compared(cls, 'self')})"], {})


def _repr(cls: type[Any]) -> Any:
    from reprlib import recursive_repr

    shown = [name for name, one in _fields(cls).items() if one.repr]

    @recursive_repr("...")
    def method(self: Any) -> str:
        values = ", ".join(f"{name}={getattr(self, name)!r}" for name in shown)
        return f"{type(self).__qualname__}({values})"

    return method


def _refuse_to_set(_self: object, name: str, _value: object) -> None:
    raise FrozenInstanceError(f"cannot assign to field {name!r}")


def _refuse_to_delete(_self: object, name: str) -> None:
    raise FrozenInstanceError(f"cannot delete field {name!r}")


def _state(self: Any) -> list[Any]:
    return [getattr(self, name) for name in _fields(type(self))]


def _restore(self: Any, state: list[Any]) -> None:
    for name, value in zip(_fields(type(self)), state, strict=True):
        object.__setattr__(self, name, value)


_FROZEN: Final = {"__setattr__": _refuse_to_set, "__delattr__": _refuse_to_delete}
_PICKLED: Final = {"__getstate__": _state, "__setstate__": _restore}
