"""A run as its callers see it: load a model, call a method, write the model back."""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from typing import Any

from sabir.diagnostics.suggestions import did_you_mean
from sabir.languages.muranopl.evaluate.loader import NO_OBJECT, Loader
from sabir.languages.muranopl.evaluate.methods import Method, check_exposed
from sabir.languages.muranopl.evaluate.positions import ModelPositions
from sabir.languages.muranopl.evaluate.previous import PreviousRun
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialisation import build_storage, dump_object
from sabir.languages.muranopl.model.classes import WRONG_CALL, MuranoClass
from sabir.languages.muranopl.model.definitions import (
    MODEL_FORM,
    find_definitions,
    parse_definition,
    parse_type,
)
from sabir.languages.muranopl.model.errors import MuranoError, Unstoppable, format_value
from sabir.languages.muranopl.model.objects import MuranoObject


class MuranoRun:
    """One run of a runtime. Every failure is a `MuranoError`."""

    def __init__(self, runtime: Runtime) -> None:
        self.runtime = runtime
        self._vanished: list[MuranoObject] = []

    def load(
        self,
        model: Mapping[Any, Any],
        *,
        previous: Mapping[Any, Any] | None = None,
        attributes: Sequence[Any] = (),
        positions: ModelPositions | None = None,
    ) -> MuranoObject:
        """Load an object model.

        `previous` is the result of the last run: objects that are only there are destroyed, and constants
        must not differ from it.
        """
        root = self.begin(model, previous=previous, attributes=attributes, positions=positions)
        self.destroy_vanished()
        assert root is not None
        return root

    def begin(
        self,
        model: Mapping[Any, Any] | None,
        *,
        previous: Mapping[Any, Any] | None = None,
        attributes: Sequence[Any] = (),
        positions: ModelPositions | None = None,
        goes_on: bool = False,
        ends: bool = True,
    ) -> MuranoObject | None:
        """Load a model, None for an empty one, and the objects that only the last model has.

        `goes_on`: the model is as its author wrote it, and results of runs are only in `previous`. Without
        `ends` the model is only inspected, and vanished objects are not destroyed.
        """
        if model is not None and not isinstance(model, Mapping):
            raise MuranoError(MODEL_FORM, f"an object model is a mapping, not {format_value(model)}")
        runtime = self.runtime
        runtime.attributes.load(attributes)
        before = None if previous is None else find_definitions(previous)
        loader = Loader(
            runtime,
            keep_ids=True,
            positions=positions,
            previous=None if before is None else PreviousRun(before, goes_on),
        )
        try:
            if model is not None:
                runtime.root = loader.shell(model, None, None)
                loader.finish()
            if before and ends:
                self._load_vanished(before)
        except RecursionError:
            raise Unstoppable("the object model is nested too deeply") from None
        finally:
            runtime.warnings.extend(loader.warnings)
        return runtime.root

    def _load_vanished(self, before: Mapping[str, Mapping[Any, Any]]) -> None:
        """Load the objects that only the last model has, so that they can be destroyed."""
        runtime = self.runtime
        data = _ids_in_data(before, runtime)
        gone = {id_: raw for id_, raw in before.items() if id_ not in data and runtime.store.get(id_) is None}
        if not gone:
            return
        kept = before.keys() - gone.keys() - data
        loader = Loader(runtime, keep_ids=True)
        for id_, raw in gone.items():
            if id_ not in loader.local:
                loader.shell(_without_kept(raw, kept), _owner_of(id_, before, runtime), None)
        self._vanished = list(loader.local.values())
        loader.finish()

    def destroy_vanished(self) -> None:
        """Destroy the objects that only the last model has."""
        vanished, self._vanished = self._vanished, []
        if vanished:
            self.runtime.destruction.destroy(vanished)

    def find_object(self, id_: str) -> MuranoObject:
        """Return an object by its id, or by its name if the name is unique."""
        object_ = self.runtime.store.get(id_)
        if object_ is not None:
            return object_
        named = [object_ for object_ in self.runtime.store if object_.name == id_]
        if len(named) == 1:
            return named[0]
        names = [object_.id for object_ in self.runtime.store] + [
            object_.name for object_ in self.runtime.store if object_.name
        ]
        raise MuranoError(
            NO_OBJECT, f"there is no object {id_!r} in the model", hint=did_you_mean(id_, names)
        )

    def find_class(self, name: str) -> MuranoClass:
        return self.runtime.class_of_type(parse_type(name))

    def call(
        self,
        target: MuranoObject | MuranoClass,
        method: str,
        args: Sequence[Any] = (),
        kwargs: Mapping[str, Any] | None = None,
        *,
        from_outside: bool = False,
    ) -> Any:
        """Call a method. Only exposed methods can be called from outside (`Scope: Public`, `Usage: Action`)."""
        method_ = self._method(target, method)
        if from_outside:
            check_exposed(method_, target)
        try:
            return method_.invoke(target, {}, *args, **(kwargs or {}))
        except RecursionError:
            raise Unstoppable("the calls are nested too deeply") from None

    def _method(self, target: MuranoObject | MuranoClass, name: str) -> Method:
        cls = target.cls if isinstance(target, MuranoObject) else target
        method = cls.lookup(name)
        if method is None:
            raise MuranoError(
                WRONG_CALL,
                f"{cls.name} has no method {name!r}",
                hint=did_you_mean(name, cls.method_names()),
            )
        if isinstance(target, MuranoClass) and not method.is_static:
            raise MuranoError(WRONG_CALL, f"method {method.full_name} needs an object, it is not static")
        return method

    def dump(self, root: MuranoObject | None = None) -> dict[str, Any]:
        """Return the current object model."""
        object_ = root or self.runtime.root
        if object_ is None:
            raise MuranoError(MODEL_FORM, "there is no model: nothing was loaded")
        try:
            return dump_object(object_)
        except RecursionError:
            raise Unstoppable("the object model is nested too deeply") from None

    def storage(self) -> dict[str, Any]:
        """Return the state for the next run: `Objects`, `ObjectsCopy`, `Attributes`."""
        if self.runtime.root is None:
            raise MuranoError(MODEL_FORM, "there is no model: nothing was loaded")
        return build_storage(self.runtime.root, self.runtime)


def _ids_in_data(before: Mapping[str, Mapping[Any, Any]], runtime: Runtime) -> set[str]:
    """Return the ids of definitions that are not objects: those in templates and in other plain data."""
    ids: set[str] = set()
    for id_, raw in before.items():
        if id_ not in ids:
            declared = parse_definition(raw, None, runtime).cls.declared
            for name, value in raw.items():
                if name != "?" and not any(part.contract.build for part in declared.get(name, ())):
                    ids.update(find_definitions(value))
    return ids


def _owner_of(id_: str, before: Mapping[str, Mapping[Any, Any]], runtime: Runtime) -> MuranoObject | None:
    """Return the living owner of a vanished object."""
    for owner, raw in before.items():
        if owner != id_ and id_ in _direct_parts(raw):
            return runtime.store.get(owner)
    return None


def _direct_parts(raw: Mapping[Any, Any]) -> set[str]:
    """Return the ids of the objects that a definition contains inline, without descending into those."""
    ids: set[str] = set()
    waiting = [value for key, value in raw.items() if key != "?"]
    while waiting:
        value = waiting.pop()
        if isinstance(value, Mapping):
            header = value.get("?")
            if isinstance(header, Mapping) and header.get("id") is not None:
                ids.add(str(header["id"]))
            else:
                waiting.extend(value.values())
        elif isinstance(value, list):
            waiting.extend(value)
    return ids


def _without_kept(value: Any, kept: Set[str]) -> Any:
    """Return a definition with the objects that are still alive replaced by their ids."""
    if isinstance(value, Mapping):
        header = value.get("?")
        id_ = header.get("id") if isinstance(header, Mapping) else None
        if id_ is not None and str(id_) in kept:
            return str(id_)
        return {key: _without_kept(item, kept) if key != "?" else item for key, item in value.items()}
    if isinstance(value, list):
        return [_without_kept(item, kept) for item in value]
    return value
