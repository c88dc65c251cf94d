"""`inmanta.execute.proxy`: the views of values under the names that modules expect.

Modules test whether something is a `DynamicProxy`, and inherit from it to present instances
differently, for example in templates. They inherit from `DynamicProxy` below. What they receive are the
views themselves, which count as instances of it.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.views import (
    DictView,
    InstanceView,
    ListView,
    UnknownException,
    from_python,
    require_known,
    to_python,
)

__all__ = [
    "CallProxy",
    "DictProxy",
    "DynamicProxy",
    "IteratorProxy",
    "ProxyContext",
    "SequenceProxy",
    "UnknownException",
    "allow_reference_values",
]


class ProxyContext:
    """Where a value was read; `path` is for messages."""

    def __init__(
        self, *, path: str, validated: bool = True, allow_reference_values: bool | None = None
    ) -> None:
        self.path = path
        self.validated = validated
        self.allow_reference_values = allow_reference_values

    def nested(self, *, relative_path: str) -> ProxyContext:
        return ProxyContext(path=self.path + relative_path, validated=self.validated)


class _Views(type):
    """The metaclass that makes views count as proxies. A subclass in a module has only its own objects."""

    def __instancecheck__(cls, value: object) -> bool:
        return type.__instancecheck__(cls, value) or isinstance(value, cls.__dict__.get("views", ()))


class DynamicProxy(InstanceView, metaclass=_Views):
    """The base class for proxies of modules that present instances, lists or dicts differently."""

    views: ClassVar[tuple[type, ...]] = (InstanceView, ListView, DictView)

    def __init__(self, instance: Any, *, context: ProxyContext | None = None) -> None:
        object.__setattr__(self, "_instance", instance)
        object.__setattr__(self, "_context", context)

    def _get_context(self) -> ProxyContext:
        context: ProxyContext | None = self.__dict__.get("_context")
        return context or ProxyContext(path=object.__repr__(self))

    def __getattr__(self, name: str) -> Any:
        value = to_python(self._instance)
        if isinstance(value, InstanceView):
            return InstanceView.__getattr__(value, name)
        return getattr(value, name)

    @classmethod
    def return_value(cls, value: object, *, context: ProxyContext | None = None) -> Any:  # noqa: ARG003
        """Return a value of the model as plugins see it."""
        return require_known(to_python(value))

    def _return_value(self, value: object, *, relative_path: str) -> Any:  # noqa: ARG002
        return require_known(to_python(value))

    @classmethod
    def unwrap(cls, item: object, *, dynamic_context: object = None) -> Any:  # noqa: ARG003
        """Return a value of a plugin as a value of the model."""
        return from_python(item)

    def is_unknown(self) -> bool:
        return isinstance(self._instance, Unknown)

    def __eq__(self, other: object) -> bool:
        return bool(self._instance == getattr(other, "_instance", getattr(other, "shown", other)))

    def __hash__(self) -> int:
        return hash(self._instance)


class SequenceProxy(DynamicProxy):
    """The type of list views."""

    views: ClassVar[tuple[type, ...]] = (ListView,)


class DictProxy(DynamicProxy):
    """The type of dict views."""

    views: ClassVar[tuple[type, ...]] = (DictView,)


class IteratorProxy(DynamicProxy):
    """A type without instances: lists are iterated directly here."""

    views: ClassVar[tuple[type, ...]] = ()


class CallProxy(DynamicProxy):
    """A type without instances: values of a model are not callable."""

    views: ClassVar[tuple[type, ...]] = ()


def allow_reference_values(value: Any) -> Any:
    """Return the value unchanged: references can be read through every view here."""
    return value
