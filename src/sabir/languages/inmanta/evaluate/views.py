"""Values as Python code of a model sees them: plug-ins, templates and classes of resources.

An instance of the evaluator is full of slots that nobody else may touch, and its attributes have whatever names the model
gives them. So foreign code gets a view: the attributes by name, read only. An instance has one view, so that code which
compares two of them by identity is right. Lists and dicts are shared by everything that reads them, so foreign code gets
copies of them that refuse to be changed; they remember what they show, which comes back at no cost when they are returned.
`outward` turns values into what foreign code sees, `inward` turns them back.
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
    """A value that is not known yet, as foreign code makes one or gets it."""

    def __init__(self, source: object = None) -> None:
        self.source = source
        self.shown = Unknown()

    def __repr__(self) -> str:
        return "Unknown()"


class UnknownException(Exception):
    """Raised by reading what is not known yet: what foreign code computes from it is not known, either."""

    def __init__(self, unknown: UnknownView) -> None:
        super().__init__("a value that is not known yet was read")
        self.unknown = unknown


def view_of_unknown(value: Unknown) -> UnknownView:
    view = UnknownView()
    view.shown = value
    return view


class InstanceView:
    """An instance with its attributes by name. Reading one that has no value yet makes the calling statement wait."""

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
    """A list of the model: a list for whoever asks, except that it cannot be changed. Slices and copies can."""

    __slots__ = ("shown",)

    shown: list[Any]

    def _get_instance(self) -> list[Any]:
        return self.shown

    __setitem__ = __delitem__ = __iadd__ = __imul__ = _refuse_list
    append = extend = insert = pop = remove = clear = sort = reverse = _refuse_list

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        return list, (list(self),)


class PartlyUnknownList(ListView):
    """A list with items that are not known yet: it has its length, and reading such an item stops the reader."""

    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        return map(require_known, super().__iter__())

    def __getitem__(self, index: Any) -> Any:
        return require_known(super().__getitem__(index))


class DictView(dict[str, Any]):
    """A dict of the model, in the same way."""

    __slots__ = ("shown",)

    shown: dict[str, Any]

    def _get_instance(self) -> dict[str, Any]:
        return self.shown

    __setitem__ = __delitem__ = __ior__ = _refuse_dict
    setdefault = pop = popitem = update = clear = _refuse_dict

    def __reduce_ex__(self, _: object) -> tuple[Any, ...]:
        return dict, (dict(self),)


class PartlyUnknownDict(DictView):
    """A dict with values that are not known yet, in the same way."""

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
    """The views of the instances of a relation: their order does not matter when compared."""

    __slots__ = ()
    __eq__ = RelationList.__eq__
    __ne__ = RelationList.__ne__
    __hash__ = None  # type: ignore[assignment]


instance_of: Final[Callable[[InstanceView], ModelInstance]] = attrgetter("_instance")
"""The instance behind a view."""


def require_known(value: Any) -> Any:
    """A value that foreign code reads, unless it is not known yet."""
    if type(value) is UnknownView:
        raise UnknownException(value)
    return value


def view_of(instance: ModelInstance) -> InstanceView:
    view: InstanceView | None = instance.view
    if view is None:
        view = instance.view = InstanceView(instance)
    return view


def to_python(value: Any) -> Any:
    """A value of the language as foreign code sees it."""
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
    """A value of foreign code as the language knows it: tuples and sets are lists."""
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
    """Whether there is anything to turn back; a list or dict without a view, however large, is taken as it is."""
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
    """A foreign function as one of the language: it gets views and answers with values."""

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
    """A function of the language as foreign code (a template) calls it: it gets values and answers with views."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        if named:
            named = {name: from_python(value) for name, value in named.items()}
        return to_python(function(*map(from_python, arguments), **named))

    return call
