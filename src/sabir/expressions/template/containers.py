"""Filters on lists and dictionaries."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from jinja2.exceptions import FilterArgumentError

_MOST: Final = 100_000


def dict2items(
    value: Mapping[Any, Any], key_name: str = "key", value_name: str = "value"
) -> list[dict[str, Any]]:
    if not isinstance(value, Mapping):
        raise FilterArgumentError("dict2items needs a dictionary")
    return [{key_name: key, value_name: item} for key, item in value.items()]


def items2dict(
    value: Iterable[Mapping[str, Any]], key_name: str = "key", value_name: str = "value"
) -> dict[Any, Any]:
    return {item[key_name]: item.get(value_name) for item in value}


def combine(*values: Any, recursive: bool = False, list_merge: str = "replace") -> dict[Any, Any]:
    result: dict[Any, Any] = {}
    for value in _flatten_levels(values, levels=1):
        if not isinstance(value, Mapping):
            raise FilterArgumentError(f"combine needs dictionaries, not {type(value).__name__}")
        result = _merge_maps(result, value, recursive=recursive, list_merge=list_merge)
    return result


def _merge_maps(
    left: Mapping[Any, Any], right: Mapping[Any, Any], *, recursive: bool, list_merge: str
) -> dict[Any, Any]:
    result = dict(left)
    for key, new in right.items():
        old = result.get(key)
        if recursive and isinstance(old, Mapping) and isinstance(new, Mapping):
            result[key] = _merge_maps(old, new, recursive=True, list_merge=list_merge)
        elif isinstance(old, list) and isinstance(new, list):
            result[key] = _merge_lists(old, new, list_merge)
        else:
            result[key] = new
    return result


def _merge_lists(old: list[Any], new: list[Any], way: str) -> list[Any]:
    match way:
        case "keep":
            return old
        case "append":
            return old + new
        case "prepend":
            return new + old
        case "append_rp":
            return [item for item in old if item not in new] + new
        case "prepend_rp":
            return new + [item for item in old if item not in new]
        case _:
            return new


def _flatten_levels(value: Iterable[Any], levels: int | None = None) -> list[Any]:
    results: list[Any] = []
    for item in value:
        if isinstance(item, list | tuple) and levels != 0:
            results.extend(_flatten_levels(item, None if levels is None else levels - 1))
        else:
            results.append(item)
    return results


def flatten(value: Iterable[Any], levels: int | None = None, skip_nulls: bool = True) -> list[Any]:  # noqa: FBT001, FBT002
    return [
        item for item in _flatten_levels(value, levels) if not (skip_nulls and item in (None, "None", "null"))
    ]


def unique(
    value: Iterable[Any],
    case_sensitive: bool | None = None,  # noqa: FBT001
    attribute: str | None = None,
) -> list[Any]:
    del case_sensitive
    results: list[Any] = []
    seen: set[Any] = set()
    for item in value:
        key = item.get(attribute) if attribute and isinstance(item, Mapping) else item
        marked = _hashable_key(key)
        if marked not in seen:
            seen.add(marked)
            results.append(item)
    return results


def _hashable_key(value: Any) -> Any:
    if isinstance(value, Mapping):
        return ("map", frozenset((key, _hashable_key(item)) for key, item in value.items()))
    if isinstance(value, list | tuple):
        return ("list", *(_hashable_key(item) for item in value))
    return (type(value).__name__ if isinstance(value, bool) else "", value)


def intersect(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    other = {_hashable_key(item) for item in right}
    return unique(item for item in left if _hashable_key(item) in other)


def difference(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    other = {_hashable_key(item) for item in right}
    return unique(item for item in left if _hashable_key(item) not in other)


def symmetric_difference(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    left, right = list(left), list(right)
    return difference(left, right) + difference(right, left)


def union(left: Iterable[Any], right: Iterable[Any]) -> list[Any]:
    return unique([*left, *right])


def _limit_items(items: Iterable[Any]) -> list[Any]:
    results = list(itertools.islice(items, _MOST + 1))
    if len(results) > _MOST:
        raise FilterArgumentError(f"more than {_MOST:,} items")
    return results


def subelements(value: Any, name: str | list[str], skip_missing: bool = False) -> list[Any]:  # noqa: FBT001, FBT002
    elements = list(value.values()) if isinstance(value, Mapping) else list(value)
    parts = name.split(".") if isinstance(name, str) else name
    results: list[Any] = []
    for element in elements:
        inner: Any = element
        for part in parts:
            if part not in inner:
                inner = [] if skip_missing else None
                break
            inner = inner[part]
        if inner is None:
            raise FilterArgumentError(f"subelements: an element has no {name!r}")
        results += [[element, item] for item in inner]
    return results


def extract(item: Any, container: Any, more: Any = None) -> Any:
    keys = [item] if more is None else [item, *(more if isinstance(more, list) else [more])]
    for key in keys:
        container = container[key]
    return container


def rekey_on_member(value: Any, key: str, duplicates: str = "error") -> dict[Any, Any]:
    results: dict[Any, Any] = {}
    for item in value.values() if isinstance(value, Mapping) else value:
        if item[key] in results and duplicates == "error":
            raise FilterArgumentError(f"rekey_on_member: {item[key]!r} is there twice")
        results[item[key]] = item
    return results


def shuffle(value: Iterable[Any], seed: Any = None) -> list[Any]:
    items = list(value)
    random.Random(seed).shuffle(items)
    return items


def random_item(end: Any, start: int | None = None, step: int | None = None, seed: Any = None) -> Any:
    chance = random.Random(seed)
    if isinstance(end, int):
        numbers = range(start or 0, end, step or 1)
        if not numbers:  # the wording of Python differs between its versions
            raise FilterArgumentError(f"random: the range is empty: from {numbers.start} to {end}")
        return chance.randrange(numbers.start, numbers.stop, numbers.step)
    return chance.choice(list(end))


COLLECTION_FILTERS: Final[Mapping[str, Callable[..., Any]]] = {
    "combinations": lambda value, length=2: _limit_items(itertools.combinations(value, length)),
    "combine": combine,
    "dict2items": dict2items,
    "difference": difference,
    "extract": extract,
    "flatten": flatten,
    "intersect": intersect,
    "items2dict": items2dict,
    "permutations": lambda value, length=None: _limit_items(itertools.permutations(value, length)),
    "product": lambda *values: _limit_items(itertools.product(*values)),
    "random": random_item,
    "rekey_on_member": rekey_on_member,
    "shuffle": shuffle,
    "subelements": subelements,
    "symmetric_difference": symmetric_difference,
    "union": union,
    "unique": unique,
    "zip": lambda *values: _limit_items(zip(*values, strict=False)),
    "zip_longest": lambda *values, fillvalue=None: _limit_items(
        itertools.zip_longest(*values, fillvalue=fillvalue)
    ),
}
