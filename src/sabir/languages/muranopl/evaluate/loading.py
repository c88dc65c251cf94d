"""Objects from definitions: shells first, then properties, then constructors.

A model is loaded in two passes so that references may point forward. The first makes an object of every definition; the
second sets properties and checks contracts. Constructors run when all properties of all objects are set, parts before
what owns them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.evaluate.constants import same_value
from sabir.languages.muranopl.evaluate.explaining import explain_violation, unknown_properties
from sabir.languages.muranopl.evaluate.identity import Identities, MadeFor, Slot
from sabir.languages.muranopl.evaluate.initialising import Consequence, Initialising
from sabir.languages.muranopl.examples.runs import MODEL, REFERENCE, run_package
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.definitions import parse_definition
from sabir.languages.muranopl.model.errors import ContractViolation, MuranoError, shown
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.failures import failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.positions import Positions
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.model.properties import PropertyDeclaration

__all__ = ["Loader"]

_MOST_ERRORS = 100

NO_OBJECT: Final = failure_rule(
    "NoObjectFoundError",
    "MRUN:E017",
    "an object id that is nowhere in the model",
    "A text under a class contract is the id of an object, which must be defined somewhere in the same model.",
    run_package(REFERENCE, MODEL + "next: ghost\n"),
    run_package(REFERENCE, MODEL + "next: root\n"),
)
CONSTANT_CHANGED: Final = failure_rule(
    "ConstantChanged",
    "MRUN:E024",
    "a constant property that changed since the last run",
    "Once a workflow has run, a property of usage Const keeps its value. Put the old value back, or make a new object.",
    run_package(
        "Name: Root\n\nProperties:\n  v:\n    Contract: $.int()\n    Usage: Const\n",
        "Objects: {'?': {id: root, type: demo.Root}, v: 2}\nObjectsCopy: {'?': {id: root, type: demo.Root}, v: 1}\n",
    ),
    run_package(
        "Name: Root\n\nProperties:\n  v:\n    Contract: $.int()\n    Usage: Const\n",
        "Objects: {'?': {id: root, type: demo.Root}, v: 1}\nObjectsCopy: {'?': {id: root, type: demo.Root}, v: 1}\n",
    ),
)
DUPLICATE_ID: Final = failure_rule(
    "DuplicateObjectId",
    "MRUN:E025",
    "two objects with one id",
    "An id is how references find an object, so it must be unique in the model.",
    run_package(REFERENCE, MODEL + "next: {'?': {id: root, type: demo.Root}}\n"),
    run_package(REFERENCE, MODEL + "next: {'?': {id: other, type: demo.Root}}\n"),
)


class Loader:
    """One load. `keep_ids`: objects have the ids of the definitions, as in a model; else every object gets a new one."""

    def __init__(
        self,
        runtime: Runtime,
        *,
        keep_ids: bool = False,
        is_dry: bool = False,
        positions: Positions | None = None,
        previous: Mapping[str, Mapping[Any, Any]] | None = None,
        goes_on: bool = False,
    ) -> None:
        """`goes_on`: the model is as its author wrote it, so what runs left in `InOut` properties is taken from `previous`."""
        self.runtime = runtime
        self.keep_ids = keep_ids
        self.is_dry = is_dry
        self.positions = positions
        self.previous = previous
        self.goes_on = goes_on
        self.waiting: list[MuranoObject] = []
        self.finished: list[MuranoObject] = []
        self.slot: Slot | None = None
        self.made_for: MadeFor = None
        self._identities = Identities(lambda _: False) if is_dry else runtime.identities
        self.local: dict[str, MuranoObject] = {}
        self._made_of: dict[str, Mapping[Any, Any]] = {}
        self.warnings: list[Finding] = []
        self._warned: set[tuple[str, Any]] = set()
        self._made_by: dict[MuranoObject, PropertyDeclaration] = {}
        self._initialising: type[Initialising] = Initialising
        self._watch: Callable[[MuranoObject, Mapping[Any, Any], Loader], None] | None = None
        if runtime.recorder is not None:
            from sabir.languages.muranopl.evaluate.recording.objects import RecordedInitialising, watch

            self._initialising, self._watch = RecordedInitialising, watch

    # -- first pass ------------------------------------------------------------------------------------------------

    def shell(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass | None
    ) -> MuranoObject:
        """The object of a definition and of all definitions inside, without properties yet."""
        try:
            definition = parse_definition(raw, default, self.runtime)
        except MuranoError as error:
            if error.place is None and self.positions is not None:
                error.place = self.positions.of(raw)
            raise
        cls, id_, properties = definition.cls, definition.id, definition.properties
        if id_ and not self.keep_ids and raw is self._made_of.get(id_):
            return self.local[id_]  # the same data at several places is one object
        if not self.keep_ids or not id_:
            made_for = self.made_for if self.slot is None else None
            object_id = self._identities.of(definition, owner, self.slot, raw, made_for)
        else:
            object_id = id_
            self._give_way(object_id)
        object_ = MuranoObject(cls, object_id, owner)
        object_.name = definition.name
        object_.header = definition.header
        self._register(object_, id_, raw)
        if self._watch is not None:
            self._watch(object_, properties, self)
        values = dict(self._with_previous(object_, properties))
        for key, declarations in cls.declared.items():
            if key not in values or not declarations[0].is_read:
                continue
            for declaration in declarations:
                build = declaration.contract.build
                if build is not None:
                    before, self.slot = self.slot, (key, values[key])
                    values[key] = build(values[key], object_, self)
                    self.slot = before
                    break
        if self.positions is not None and not values.keys() <= cls.declared.keys():
            self._note_unknown(object_, raw)
        object_.initialising = self._initialising(object_, values, raw, self)
        self.waiting.append(object_)
        return object_

    def _give_way(self, id_: str) -> None:
        """An id that the model gives belongs to its object; one that was derived before is made anew."""
        other = self.runtime.store.get(id_)
        if other is None or self.is_dry or id_ in self.local or not self._identities.has_made(id_):
            return
        self.runtime.store.forget(other)
        other.id = self._identities.unique(id_)
        self.runtime.store.add(other, is_model=True)
        if id_ in self.runtime.origins:
            self.runtime.origins[other.id] = self.runtime.origins.pop(id_)

    def _register(self, object_: MuranoObject, id_: str | None, raw: Mapping[Any, Any]) -> None:
        if id_ is not None:
            if id_ in self.local and self.keep_ids:
                raise MuranoError(
                    DUPLICATE_ID,
                    f"two objects of the model have the id {id_!r}: {self.local[id_].cls.name} and {object_.cls.name}",
                    place=self.positions.of(raw) if self.positions else None,
                )
            self.local[id_] = object_
            self._made_of[id_] = raw
        if not self.is_dry:
            self.runtime.store.add(object_, is_model=self.keep_ids)
            self.runtime.meter.room(len(self.runtime.store))
            if self.positions is not None and not self.positions.is_late:
                self.runtime.origins[object_.id] = (self.positions, raw)

    def _with_previous(self, object_: MuranoObject, values: Mapping[Any, Any]) -> Mapping[Any, Any]:
        """Values of `Out` properties as the last run left them: a user cannot change them (spec 000, "Out")."""
        if self.previous is None:
            return values
        before = self.previous.get(object_.id) or {}
        members = object_.cls.members
        outs = [name for name, member in members.items() if member.usage == "Out"]
        kept = [*outs, *(self._left_open(object_, values) if self.goes_on else ())]
        if not kept:
            return values
        result = {name: value for name, value in values.items() if name not in outs}
        result.update((name, before[name]) for name in kept if name in before)
        return result

    @staticmethod
    def _left_open(object_: MuranoObject, values: Mapping[Any, Any]) -> list[str]:
        """Properties that both the model and code may write, and that the model does not."""
        members = object_.cls.members
        return [name for name, member in members.items() if member.usage == "InOut" and name not in values]

    def _note_unknown(self, object_: MuranoObject, raw: Mapping[Any, Any]) -> None:
        assert self.positions is not None
        for key in raw:
            if key in ("?", *object_.cls.declared) or (object_.cls.name, key) in self._warned:
                continue
            if object_.cls.takes_from_model(key):
                continue
            self._warned.add((object_.cls.name, key))
            self.warnings.append(unknown_properties(object_, key, self.positions.of_key(raw, key)))

    # -- second pass -----------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Set the properties of every object that waits, then run the constructors.

        All independent mistakes of a model are found in one go: the first is raised, the others are with it.
        """
        errors: list[MuranoError] = []
        while self.waiting:
            waiting, self.waiting = self.waiting, []
            for object_ in waiting:
                self._initialise(object_, errors)
        if errors:
            errors[0].also = tuple(errors[1:])
            raise errors[0]
        finished, self.finished = self.finished, []
        for object_ in finished:
            if object_.initialising is not None and self.keep_ids and not self.is_dry:
                self.runtime.destruction.restore(object_, object_.initialising.raw, self.local)
        for object_ in finished:
            state = object_.initialising
            object_.initialising = None
            if not self.is_dry and state is not None and object_.cls.constructors:
                self._construct(object_, state)
                self._check_constants(object_)

    def _initialise(
        self, object_: MuranoObject, errors: list[MuranoError], top: MuranoObject | None = None
    ) -> None:
        state = object_.initialising
        assert state is not None
        properties = object_.properties
        for name in object_.cls.instance_names:
            if name in properties or name in state.excluded or name in state.stages:
                continue
            try:
                state.initialise(name)
            except Consequence:
                continue
            except MuranoError as error:
                if isinstance(error, ContractViolation):
                    _place_in_owners(error, object_, top)
                if not error.can_be_caught or not self.keep_ids:
                    raise
                errors.append(error)
                if len(errors) >= _MOST_ERRORS:
                    return
        self.finished.append(object_)

    def _construct(self, object_: MuranoObject, state: Initialising) -> None:
        values, constructing = state.values, self.runtime.constructing
        constructing.add(object_)
        try:
            for method in object_.cls.constructors:
                names = [name for name in method.argument_names if name in values]
                state.construct(names)
                method.invoke(object_, {}, **{name: values[name] for name in names})
        finally:
            constructing.discard(object_)

    def _check_constants(self, object_: MuranoObject) -> None:
        """A constructor may write constants, but not otherwise than in the last run."""
        if self.previous is not None:
            for name, declaration in object_.cls.members.items():
                if declaration.usage == "Const" and name in object_.properties:
                    self.check_constant(object_, name, object_.properties[name])

    # -- what contracts ask for --------------------------------------------------------------------------------------

    def find(self, id_: str) -> MuranoObject:
        """The object of an id, wherever it is defined."""
        object_ = self.local.get(id_) or self.runtime.store.get(id_)
        if object_ is None:
            raise MuranoError(
                NO_OBJECT,
                f"there is no object with the id {id_!r}",
                hint="a property with a class contract holds an object or the id of one that the model defines",
            )
        return object_

    def owner_for(self, this: Any) -> MuranoObject | None:
        """Who owns an object that a contract makes of data: the object whose property or argument it is."""
        return this if isinstance(this, MuranoObject) else None

    def instantiate(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass
    ) -> MuranoObject:
        """An object that turns up while properties are set: a default, or data given to a class contract."""
        object_ = self.shell(raw, owner, default)
        waiting, self.waiting = self.waiting, []
        errors: list[MuranoError] = []
        for shell in waiting:
            if shell is object_ or shell.is_owned_by(object_):
                self._initialise(shell, errors, object_)
            else:
                self.waiting.append(shell)
        if errors:
            raise errors[0]
        return object_

    def absent_value(self, declaration: PropertyDeclaration, object_: MuranoObject) -> Any:
        """The value of a property that is neither given nor has a default: null, or the definition of an instance
        of the contract's default class (S-11), unless that would go on without end."""
        default = declaration.contract.default_class
        if default is None or not declaration.is_read:
            return None
        owner: MuranoObject | None = object_
        while owner is not None:
            if owner.cls is default():
                return None
            owner = owner.owner
        return {}

    def template(
        self,
        value: Any,
        this: Any,
        default: MuranoClass,
        *,
        wanted: MuranoClass,
        excluded: frozenset[str],
    ) -> dict[str, Any]:
        """A template as a dictionary, checked by a dry run that makes no object anybody can see."""
        from sabir.languages.muranopl.evaluate.serialising import dump_template

        if isinstance(value, MuranoObject):
            _check_kind(value, wanted)
            return dump_template(value, excluded)
        dry = Loader(self.runtime, keep_ids=True, is_dry=True, positions=self.positions)
        object_ = dry.shell(value, this if isinstance(this, MuranoObject) else None, default)
        assert object_.initialising is not None
        for path in excluded:
            dry.exclude(object_, path)
        _check_kind(object_, wanted)
        dry.local = {**self.local, **dry.local}
        dry.finish()
        return dump_template(object_, excluded)

    def exclude(self, object_: MuranoObject, path: str) -> None:
        """Leave a property out of a dry run; `a.b` means `b` of the object that `a` holds."""
        state = object_.initialising
        assert state is not None
        name, dot, rest = path.partition(".")
        if not dot:
            state.excluded |= {name}
        elif isinstance(part := state.values.get(name), MuranoObject) and part.initialising is not None:
            self.exclude(part, rest)

    def check_constant(self, object_: MuranoObject, name: str, value: Any) -> None:
        """A `Const` property keeps the value of the last run (spec 000, "Const"; S-13)."""
        before = self.previous.get(object_.id) if self.previous is not None else None
        if before is None or name not in before or same_value(value, before[name]):
            return
        raise MuranoError(
            CONSTANT_CHANGED,
            f"property {name!r} of {object_!r} is Const: it was {shown(before[name])} in the last run, "
            f"now it is {shown(value)}",
            place=object_.cls.members[name].place,
            hint="put the earlier value back, or make it another object with another id",
        )

    def note_dropped(self, keys: list[Any], this: Any) -> None:
        """A dictionary contract drops keys it does not name (S-07)."""
        if self.positions is not None:
            self.runtime.note_dropped(keys, this)

    def explain(
        self, error: ContractViolation, object_: MuranoObject, declaration: PropertyDeclaration
    ) -> None:
        explain_violation(error, object_, declaration, self.positions)


def _place_in_owners(error: ContractViolation, object_: MuranoObject, top: MuranoObject | None) -> None:
    """Say where the model holds the object of a violation: the properties of its owners, up to `top`."""
    while object_ is not top and (owner := object_.owner) is not None and owner.initialising is not None:
        for name, value in owner.initialising.values.items():
            way = _way_to(object_, value)
            if way is not None:
                declaration = owner.cls.members[name]
                error.inside(way)
                declaration.named(error)
                break
        else:
            return
        object_ = owner


def _way_to(object_: MuranoObject, value: Any) -> str | None:
    """Where a value holds an object: `[0]['key']`; None when it does not."""
    if value is object_:
        return ""
    parts: Any = ()
    if isinstance(value, list):
        parts = enumerate(value)
    elif isinstance(value, dict):
        parts = value.items()
    for key, part in parts:
        way = _way_to(object_, part)
        if way is not None:
            return f"[{key!r}]{way}"
    return None


def _check_kind(object_: MuranoObject, wanted: MuranoClass) -> None:
    if not object_.cls.is_a(wanted):
        raise ContractViolation(f"{object_.cls.name} is no {wanted.name}", object_)
