"""Functions of `std` on lists and dicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from sabir.diagnostics.reasons import explain_error
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.plugins.api import Context, PluginException
from sabir.languages.inmanta.evaluate.plugins.signature import ModelType
from sabir.languages.inmanta.evaluate.values import ModelInstance, property_of
from sabir.languages.inmanta.library.std.plugins.registry import plugin

__all__: list[str] = []

_LONGEST = 1_000_000


@plugin(allow_unknown=True)
def count(item_list: list[Any]) -> Any:
    """Return the number of items, whether or not all of them are known."""
    return item_list if isinstance(item_list, Unknown) else len(item_list)


@plugin("len")
def length(item_list: list[Any]) -> int:
    return len(item_list)


@plugin
def sequence(i: int, start: int = 0, offset: int = 0) -> list[int]:
    """Return `i` consecutive integers from `start`."""
    if i > _LONGEST:
        raise PluginException(f"a sequence of {i} numbers is too long; the longest is {_LONGEST}")
    return list(range(start, start + i - offset))


@plugin
def unique(item_list: list[Any]) -> bool:
    """Return whether no item occurs twice."""
    seen: list[Any] = []
    for item in item_list:
        if item in seen:
            return False
        seen.append(item)
    return True


@plugin
def flatten(item_list: list[Any]) -> list[Any]:
    """Return the list with nested lists replaced by their items."""
    items: list[Any] = []
    todo = list(reversed(item_list))
    while todo:
        item = todo.pop()
        if isinstance(item, list):
            todo.extend(reversed(item))
        else:
            items.append(item)
    return items


@plugin
def at(objects: list[Any], index: int) -> Any:
    try:
        return objects[index]
    except IndexError:
        raise PluginException(f"the list has {len(objects)} items, and none at {index}") from None


def _read_attribute(value: Any, name: str) -> Any:
    return property_of(value, name) if isinstance(value, ModelInstance) else getattr(value, name)


@plugin
def attr(obj: Any, attr: str) -> Any:
    """Return an attribute of an instance by a computed name."""
    if attr.startswith("_"):
        raise PluginException(f"{attr!r} is no attribute")
    return _read_attribute(obj, attr)


@plugin
def select(objects: list[Any], attr: str) -> list[Any]:
    """Return one attribute of every instance of a list."""
    if attr.startswith("_"):
        raise PluginException(f"{attr!r} is no attribute")
    return [_read_attribute(item, attr) for item in objects]


@plugin
def key_sort(items: list[Any], key: Any) -> list[Any]:
    """Return instances sorted by an attribute, or by several in turn."""
    names = key if isinstance(key, list) else [key]
    if any(name.startswith("_") for name in names):
        raise PluginException("an attribute does not begin with '_'")
    return sorted(items, key=lambda item: tuple(_read_attribute(item, name) for name in names))


@plugin("filter")
def filter_(values: list[Any], not_item: Any) -> list[Any]:
    """Return the list without an item."""
    return [item for item in values if item != not_item]


@plugin
def contains(dct: dict[str, Any], key: str) -> bool:
    return key in dct


@plugin(allow_unknown=True)
def dict_keys(dct: dict[str, Any]) -> Any:
    return dct if isinstance(dct, Unknown) else list(dct)


@plugin
def dict_get(dct: dict[str, Any], key: str) -> Any:
    if key not in dct:
        raise PluginException(f"the dict has no key {key!r}")
    return dct[key]


@plugin("getattr", allow_unknown=True)
def getattr_(
    entity: Annotated[Any, ModelType["std::Entity"]],
    attribute_name: str,
    default_value: Any = None,
    no_unknown: bool = True,  # noqa: FBT001, FBT002
) -> Any:
    """Return an attribute by a computed name, or a default if the attribute does not exist."""
    if attribute_name.startswith("_"):
        return default_value
    if attribute_name not in entity.entity.slots:
        return default_value
    value = property_of(entity, attribute_name)
    return default_value if no_unknown and isinstance(value, Unknown) else value


@plugin
def objid(value: Any) -> str:
    """Return a string that is unique to a value within this evaluation."""
    return str(id(value))


@plugin
def is_instance(ctx: Context, obj: Any, cls: str) -> bool:
    """Return whether an instance belongs to an entity or one of its children."""
    entity = ctx.entity(cls)
    return entity is not None and isinstance(obj, ModelInstance) and entity in obj.entity.ancestor_set


@plugin
def getattr_or(obj: Any, name: str, default: Any = None) -> Any:
    """Return an attribute, or a default if it is null."""
    value = None if name.startswith("_") else _read_attribute(obj, name)
    return default if value is None else value


@plugin
def json_loads(s: str) -> Any:
    import json

    try:
        return json.loads(s)
    except ValueError as error:
        raise PluginException(f"no JSON: {explain_error(error)}") from None


@plugin
def json_dumps(obj: Any) -> str:
    import json

    return json.dumps(obj, default=_to_list, sort_keys=True)


def _to_list(value: Any) -> Any:
    if isinstance(value, Sequence):
        return list(value)
    raise PluginException(f"{value!r} cannot be written as JSON")


@plugin
def isset(value: Any) -> bool:
    return value is not None


@plugin("any")
def any_(item_list: list[Any], expression: Any) -> bool:
    """Return whether any item equals a value."""
    return expression in item_list


@plugin("all")
def all_(item_list: list[Any], expression: Any) -> bool:
    """Return whether every item equals a value."""
    return [item for item in item_list if item != expression] == []
