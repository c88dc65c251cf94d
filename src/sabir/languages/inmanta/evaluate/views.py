"""Values as third-party Python sees them: plugins, templates and resource classes.

The slots of an instance are internal to the evaluator, and its attributes have arbitrary names. So
third-party code gets a read-only view with the attributes by name. An instance has one view, so that
comparing views by identity is correct. Lists and dicts are shared by all their readers, so third-party
code gets copies that cannot be changed. They remember the original, which is restored at no cost when
they are returned. `to_python` converts values to what third-party code sees, `from_python` converts
them back.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import wraps
from operator import attrgetter
from typing import Any, Final, NoReturn

from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.values import ModelInstance, RelationList, property_of

_PLAIN: Final = frozenset({str, int, float, bool, type(None)})


class UnknownView:
    """An unknown value in third-party code."""

    def __init__(self, source: object = None) -> None:
        self.source = source
        self.shown = Unknown()

    def __repr__(self) -> str:
        return "Unknown()"


class UnknownException(Exception):
    """Raised when an unknown value is read. Whatever is computed from it is unknown as well."""

    def __init__(self, unknown: UnknownView) -> None:
        super().__init__("a value that is not known yet was read")
        self.unknown = unknown


def view_of_unknown(value: Unknown) -> UnknownView:
    """Return the view of an unknown, which keeps the reason why it is unknown."""
    view = UnknownView()
    view.shown = value
    return view


class InstanceView:
    """An instance with its attributes by name. Reading a missing value parks the calling statement."""

    __slots__ = ("_instance",)

    _instance: ModelInstance

    def __init__(self, instance: ModelInstance) -> None:
        object.__setattr__(self, "_instance", instance)

    def __getattr__(self, name: str) -> Any:
        instance = self._instance
        if name not in instance.entity.slots:
            if name.startswith("__"):
                raise AttributeError(name)
            raise AttributeError(f"{instance.entity.shown!r} has no attribute {name!r}")
        value = property_of(instance, name)
        if value is None and instance.entity.all_properties[name].is_relation:
            raise _optional_error(instance, name)
        return require_known(to_python(value))

    def __setattr__(self, name: str, _: object) -> NoReturn:
        raise AttributeError(f"{name!r} cannot be set: Python code reads instances and never changes them")

    def __delattr__(self, name: str) -> NoReturn:
        raise AttributeError(
            f"{name!r} cannot be deleted: Python code reads instances and never changes them"
        )

    def _type(self) -> Any:
        from sabir.languages.inmanta.evaluate.plugins.engine.types import entity_view

        return entity_view(self._instance.entity)

    def _get_instance(self) -> ModelInstance:
        return self._instance

    def __iter__(self) -> Iterator[Any]:
        raise TypeError(f"an instance of {self._instance.entity.shown!r} cannot be iterated")

    def __copy__(self) -> InstanceView:
        return self

    def __deepcopy__(self, _: object) -> InstanceView:
        return self

    def __repr__(self) -> str:
        return repr(self._instance)


def _optional_error(instance: ModelInstance, name: str) -> Exception:
    from sabir.languages.inmanta.evaluate.plugins.engine.faults import OptionalValueException

    return OptionalValueException(None, f"Optional variable accessed that has no value: {name} of {instance}")


def _refuse_change(kind: str, copy: str) -> Callable[..., NoReturn]:
    def refuse(*_: object, **__: object) -> NoReturn:
        raise TypeError(
            f"a {kind} of the model cannot be changed: Python code reads values and never changes them; "
            f"{copy}(…) makes a copy that can"
        )

    return refuse


_refuse_list: Final = _refuse_change("list", "list")
_refuse_dict: Final = _refuse_change("dict", "dict")


class ListView(list[Any]):
    """A list of the model that cannot be changed. Slices and copies of it can."""

    __slots__ = ("shown",)

    shown: list[Any]

    def _get_instance(self) -> list[Any]:
        return self.shown

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse_list
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse_list

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        return list, (list(self),)


class PartlyUnknownList(ListView):
    """A list with unknown items. Its length is known; reading an unknown item raises."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return map(require_known, super().__iter__())

    def __getitem__(self, index: Any) -> Any:
        return require_known(super().__getitem__(index))


class DictView(dict[str, Any]):
    """A dict of the model that cannot be changed. Copies of it can."""

    __slots__ = ("shown",)

    shown: dict[str, Any]

    def _get_instance(self) -> dict[str, Any]:
        return self.shown

    __setitem__ = __delitem__ = __ior__ = _refuse_dict
    setdefault = pop = popitem = update = clear = _refuse_dict

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        return dict, (dict(self),)


class PartlyUnknownDict(DictView):
    """A dict with unknown values; reading one of them raises."""

    __slots__ = ()

    def __getitem__(self, key: str) -> Any:
        return require_known(super().__getitem__(key))

    def get(self, key: str, default: Any = None) -> Any:
        return require_known(super().get(key, default))

    def values(self) -> Any:
        return [require_known(value) for value in super().values()]

    def items(self) -> Any:
        return [(key, require_known(value)) for key, value in super().items()]


class RelationView(ListView):
    """The views of the instances of a relation; comparisons ignore their order."""

    __slots__ = ()
    __eq__ = RelationList.__eq__
    __ne__ = RelationList.__ne__
    __hash__ = None  # type: ignore[assignment]


instance_of: Final[Callable[[InstanceView], ModelInstance]] = attrgetter("_instance")
"""The instance behind a view."""


def require_known(value: Any) -> Any:
    """Return a value that third-party code reads; raise `UnknownException` if it is unknown."""
    if type(value) is UnknownView:
        raise UnknownException(value)
    return value


def view_of(instance: ModelInstance) -> InstanceView:
    """Return the view of an instance, created on first use."""
    view: InstanceView | None = instance.view
    if view is None:
        view = instance.view = InstanceView(instance)
    return view


def to_python(value: Any) -> Any:
    """Return a value of the language in the form that third-party code sees."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is ModelInstance:
        return view_of(value)
    if isinstance(value, list):
        if isinstance(value, ListView):
            return value
        listed = PartlyUnknownList if any(type(item) is Unknown for item in value) else ListView
        items = (RelationView if kind is RelationList else listed)(map(to_python, value))
        items.shown = value
        return items
    if isinstance(value, dict) and not isinstance(value, DictView):
        mapped = PartlyUnknownDict if any(type(item) is Unknown for item in value.values()) else DictView
        entries = mapped(zip(value, map(to_python, value.values()), strict=True))
        entries.shown = value
        return entries
    return view_of_unknown(value) if isinstance(value, Unknown) else value


def from_python(value: Any) -> Any:
    """Return a value of third-party code as a value of the language; tuples and sets become lists."""
    kind = type(value)
    if kind in _PLAIN:
        return value
    if kind is InstanceView:
        return instance_of(value)
    if isinstance(value, ListView | DictView | UnknownView):
        return value.shown
    if isinstance(value, InstanceView):  # of a class that a module made
        return from_python(instance_of(value))
    if isinstance(value, tuple | set | frozenset):
        return [from_python(item) for item in value]
    if isinstance(value, list):
        return [from_python(item) for item in value] if _holds_views(value) else value
    if isinstance(value, dict) and _holds_views(value.values()):
        return {key: from_python(item) for key, item in value.items()}
    return value


_VIEWS: Final = (InstanceView, ListView, DictView, UnknownView)


def _holds_views(items: Any) -> bool:
    """Return whether there is anything to convert. A list or dict without views is taken as it is."""
    for item in items:
        if type(item) in _PLAIN:
            continue
        if isinstance(item, _VIEWS):
            return True
        if isinstance(item, list | tuple | set | frozenset) and _holds_views(item):
            return True
        if isinstance(item, dict) and _holds_views(item.values()):
            return True
    return False


def wrap_python_function(
    function: Callable[..., Any], show: Callable[[Any], Any] = to_python
) -> Callable[..., Any]:
    """Return a Python function as a function of the language: it gets views and returns values."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if named:
            named = {name: show(value) for name, value in named.items()}
        try:
            return from_python(function(*map(show, arguments), **named))
        except UnknownException as reading:
            return reading.unknown.shown

    return call


def wrap_model_function(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function of the language for third-party code: it gets values and returns views."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if named:
            named = {name: from_python(value) for name, value in named.items()}
        return to_python(function(*map(from_python, arguments), **named))

    return call
