"""Named tuples that cost nothing until they are used.

`typing.NamedTuple` compiles each annotation, makes a class of `collections.namedtuple` and copies everything to it: a
millisecond for every four classes, and the syntax of a language has fifty. This one makes the class itself, with the same
members in the same places, and its constructor when the first instance is made. Type checkers see that of the standard
library.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

__all__ = ["NamedTuple"]

if TYPE_CHECKING:
    from typing import NamedTuple
else:
    # What reads an item by its index in C; without it, reading an attribute would take three times as long.
    from collections import _tuplegetter

    class _Maker(type):
        def __new__(cls, name, bases, namespace):
            fields = tuple(namespace.get("__annotations__", ()))
            defaults = {field: namespace.pop(field) for field in fields if field in namespace}
            namespace["__slots__"] = ()
            namespace["_fields"] = namespace["__match_args__"] = fields
            namespace["_field_defaults"] = defaults
            for at, field in enumerate(fields):
                namespace[field] = _tuplegetter(at, f"Alias for field number {at}")
            made = super().__new__(cls, name, bases, namespace)
            if fields and "__new__" not in namespace:
                made.__new__ = staticmethod(_when_called(made))
            return made

    class NamedTuple(tuple, metaclass=_Maker):
        """Base of classes whose annotations are the items of a tuple."""

        @classmethod
        def _make(cls, iterable):
            made = tuple.__new__(cls, iterable)
            if len(made) != len(cls._fields):
                raise TypeError(f"Expected {len(cls._fields)} arguments, got {len(made)}")
            return made

        def _replace(self, /, **changes):
            made = self._make(map(changes.pop, self._fields, self))
            if changes:
                raise ValueError(f"Got unexpected field names: {list(changes)!r}")
            return made

        def _asdict(self):
            return dict(zip(self._fields, self, strict=True))

        def __repr__(self):
            items = ", ".join(f"{name}={value!r}" for name, value in zip(self._fields, self, strict=True))
            return f"{type(self).__name__}({items})"

        def __getnewargs__(self):
            return tuple(self)

    def _when_called(owner):
        """A constructor that makes itself, puts itself in its place, and goes on as if it had always been there."""

        def __new__(cls, *args, **named):  # noqa: N807
            made = _constructor(owner)
            owner.__new__ = staticmethod(made)
            return made(cls, *args, **named)

        return __new__

    def _constructor(owner):
        names = {"_new": tuple.__new__, "_defaults": owner._field_defaults}
        parameters = ", ".join(
            f"{name}=_defaults[{name!r}]" if name in owner._field_defaults else name for name in owner._fields
        )
        items = ", ".join(owner._fields)
        made = eval(f"lambda _cls, {parameters}: _new(_cls, ({items},))", names)  # noqa: S307  of names that are ours
        made.__name__ = "__new__"
        made.__qualname__ = f"{owner.__qualname__}.__new__"
        return made
