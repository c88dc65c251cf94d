"""Objects written back to an object model.

Properties of usage In, Out, InOut and Const are written. An object is inline where its owner holds it and an
id everywhere else; an object that no written object owns is inline at the first reference to it.
"""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Any

from sabir.languages.muranopl.evaluate.metadata import meta_of_method, references_of
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError, Unstoppable, format_value
from sabir.languages.muranopl.model.objects import MuranoObject, ObjectView, unwrap_object

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.runtime import Runtime


_ATOMS = frozenset((str, int, float, bool, type(None)))
DUMP_FORMS = ("Serializable", "Mixed", "Inline")
MOST_CONTAINERS = 500_000
"""Lists and dictionaries that one value may have when it is written out."""
_META_TEXTS = {
    "title": "io.murano.metadata.Title",
    "description": "io.murano.metadata.Description",
    "helpText": "io.murano.metadata.HelpText",
}


def dump_object(root: MuranoObject) -> dict[str, Any]:
    """Return the object model of an object and of everything it refers to."""
    return _Dumper().dump(root)


def dump_template(root: MuranoObject, excluded: frozenset[str]) -> dict[str, Any]:
    """Return an object as a template: objects outside of it stay references, and `new` will assign the id."""
    data = _PartDumper(root).dump(root)
    for path in excluded:
        *way, name = path.split(".")
        part: Any = data
        for step in way:
            part = part.get(step) if isinstance(part, dict) else None
        if isinstance(part, dict):
            part.pop(name, None)
    return data


def dump_form(root: MuranoObject, form: str, seen_as: MuranoClass | None = None) -> dict[Any, Any]:
    """Return the result of `dump`: `Serializable`, `Mixed` (types as values) or `Inline` (the type as a key).

    The root has the type and the properties of the class that it is cast to.
    """
    if form not in DUMP_FORMS:
        raise MuranoError(
            UNUSABLE_VALUE, f"dump: the form is {format_value(form)}", hint=f"one of {', '.join(DUMP_FORMS)}"
        )
    return _PartDumper(root, form, seen_as).dump(root)


class _Dumper:
    def __init__(self) -> None:
        self.budget = MOST_CONTAINERS
        self.written: set[int] = set()
        self.references: list[tuple[Any, Any, MuranoObject]] = []
        self.subscribed: list[tuple[dict[str, Any], list[tuple[MuranoObject, str | None]]]] = []

    def dump(self, root: MuranoObject) -> dict[str, Any]:
        result = self.object(root)
        for container, key, object_ in self.references:  # grows while objects are moved in
            if id(object_) not in self.written and self.may_inline(object_):
                container[key] = self.object(object_)
        self._write_subscriptions()
        return result

    def _write_subscriptions(self) -> None:
        """Write the subscribers to the destruction of an object; unwritten objects could not be notified in the
        next run.
        """
        for header, entries in self.subscribed:
            kept = [
                {"subscriber": subscriber.id, "handler": handler}
                for subscriber, handler in entries
                if id(subscriber) in self.written
            ]
            if kept:
                header["dependencies"] = {"onDestruction": kept}

    def class_of(self, object_: MuranoObject) -> MuranoClass:
        """Return the class whose properties are written."""
        return object_.cls

    def may_inline(self, object_: MuranoObject) -> bool:
        del object_
        return True

    def object(self, object_: MuranoObject) -> dict[Any, Any]:
        self.written.add(id(object_))
        result: dict[Any, Any] = {"?": self.header(object_)}
        properties = object_.properties
        for name in self.class_of(object_).written_names:
            if name in properties:
                value = properties[name]
                self.budget = MOST_CONTAINERS
                result[name] = value if type(value) in _ATOMS else self.value(value, object_, result, name)
        return result

    def header(self, object_: MuranoObject) -> dict[str, Any]:
        cls = object_.cls
        header: dict[str, Any] = {"id": object_.id, "type": cls.runtime.type_text(cls)}
        if object_.name is not None:
            header["name"] = object_.name
        if object_.header:
            header.update(object_.header)
        if entries := cls.runtime.destruction.subscribers(object_):
            self.subscribed.append((header, entries))
        before = header.pop("_actions", None)
        if cls.action_names:
            header["_actions"] = _action_entries(object_, before if isinstance(before, dict) else {})
        return header

    def value(self, value: Any, owner: MuranoObject, container: Any, key: Any) -> Any:
        if isinstance(value, ObjectView):
            value = value.object
        if isinstance(value, MuranoObject):
            if value.is_destroyed:
                return None
            if value.owner is owner and id(value) not in self.written:
                return self.object(value)
            self.references.append((container, key, value))
            return value.id
        self.budget -= 1
        if self.budget < 0:
            raise too_large()
        if isinstance(value, list | tuple | set | frozenset):
            items: list[Any] = []
            for item in value:
                items.append(item if type(item) in _ATOMS else self.value(item, owner, items, len(items)))
            return items
        if isinstance(value, dict):
            result: dict[Any, Any] = {}
            for name, item in value.items():
                plain = name if type(name) in _ATOMS else str(name)
                result[plain] = item if type(item) in _ATOMS else self.value(item, owner, result, plain)
            return result
        if isinstance(value, MuranoClass):
            return value.full_name
        return value if isinstance(value, date) else str(value)


class _PartDumper(_Dumper):
    """Dumps a single object: objects owned elsewhere stay references; actions and subscribers are left out."""

    def __init__(self, root: MuranoObject, form: str = "", seen_as: MuranoClass | None = None) -> None:
        super().__init__()
        self.root = root
        self.form = form
        self.seen_as = seen_as

    def class_of(self, object_: MuranoObject) -> MuranoClass:
        return object_.cls if self.seen_as is None or object_ is not self.root else self.seen_as

    def may_inline(self, object_: MuranoObject) -> bool:
        return object_.owner is None or object_ is self.root or object_.is_owned_by(self.root)

    def object(self, object_: MuranoObject) -> dict[Any, Any]:
        result = super().object(object_)
        for name in references_of(self.class_of(object_)):
            if isinstance(unwrap_object(object_.properties.get(name)), MuranoObject):
                result[name] = unwrap_object(object_.properties[name]).id
        if self.form != "Inline":
            return result
        header = result.pop("?")
        return {header.pop("type"): result, **header}

    def header(self, object_: MuranoObject) -> dict[str, Any]:
        cls = self.class_of(object_)
        type_: Any = cls.runtime.type_text(cls)
        if self.form:
            type_ = cls.full_name if self.form == "Serializable" else cls
        metadata = (object_.header or {}).get("metadata")
        return {"type": type_, "id": object_.id, "name": object_.name, "metadata": metadata}


def _action_entries(object_: MuranoObject, before: dict[str, Any]) -> dict[str, Any]:
    """Return the methods that can be called from outside; settings that a designer made for them are kept."""
    actions: dict[str, Any] = {}
    for name in object_.cls.action_names:
        before_entry = before.get(f"{object_.id}_{name}")
        entry = dict(before_entry) if isinstance(before_entry, dict) else {"enabled": True}
        actions[f"{object_.id}_{name}"] = {
            "title": name,
            **entry,
            "name": name,
            **_action_texts(object_, name),
        }
    return actions


def _action_texts(object_: MuranoObject, name: str) -> dict[str, str]:
    """Return the title, description and help text that meta objects give to a method."""
    method = object_.cls.lookup(name)
    if method is None:
        return {}
    metas = {meta.cls.name: meta for meta in meta_of_method(method)}
    return {key: metas[cls].properties["text"] for key, cls in _META_TEXTS.items() if cls in metas}


def plain_result(value: Any) -> Any:
    """Return a result as plain data: objects as `{"$object": class}`, classes as `{"$type": class}`."""
    try:
        return _plain_value(value, [MOST_CONTAINERS])
    except RecursionError:
        raise Unstoppable("the result is nested too deeply") from None


def _plain_value(value: Any, budget: list[int]) -> Any:
    if type(value) in _ATOMS or isinstance(value, date):
        return value
    budget[0] -= 1
    if budget[0] < 0:
        raise too_large()
    if isinstance(value, MuranoObject | ObjectView):
        return {"$object": value.cls.name}
    if isinstance(value, MuranoClass):
        return {"$type": value.name}
    if isinstance(value, list | tuple | set | frozenset):
        return [_plain_value(item, budget) for item in value]
    if isinstance(value, dict):
        return {plain_key(key): _plain_value(item, budget) for key, item in value.items()}
    return str(value)


def too_large() -> Unstoppable:
    """Return the failure of a value that is too large to write."""
    # Values may share parts, so a few small steps can create one whose written form is exponentially large.
    return Unstoppable(f"a value has more than {MOST_CONTAINERS:,} parts when it is written out")


def plain_key(key: Any) -> Any:
    """Return a dictionary key as plain data; anything but a scalar becomes a string."""
    return key if type(key) in _ATOMS else str(key)


def build_storage(root: MuranoObject, runtime: Runtime) -> dict[str, Any]:
    """Return the state between runs: the model, a copy of it, and the attributes of objects."""
    model = dump_object(root)
    return {"Objects": model, "ObjectsCopy": model, "Attributes": runtime.attributes.dump()}
