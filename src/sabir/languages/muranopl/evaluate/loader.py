"""Objects from definitions: shells first, then properties, then constructors.

A model is loaded in two passes so that references may point forward. The first creates an object for every
definition; the second sets properties and checks contracts. Constructors run when all properties of all
objects are set, parts before their owners.

Running code creates objects with `ImmediateLoader`, which returns them complete, constructors included.
Templates that a contract requires are loaded as objects for the sake of their checks, and returned as
dictionaries.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.evaluate.initialisation import (
    Consequence,
    ObjectInitializer,
    explain_violation,
    place_in_owners,
    report_unknown_property,
)
from sabir.languages.muranopl.evaluate.objects import Identities, MadeFor, Slot
from sabir.languages.muranopl.evaluate.previous import PreviousRun
from sabir.languages.muranopl.evaluate.serialisation import dump_template
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.definitions import parse_definition
from sabir.languages.muranopl.model.errors import ContractViolationError, MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject
from sabir.languages.muranopl.syntax.rules import failure_rule

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.positions import ModelPositions
    from sabir.languages.muranopl.evaluate.runtime import Runtime
    from sabir.languages.muranopl.model.properties import PropertyDeclaration


def check_template(
    value: Any,
    shell: Callable[[], MuranoObject],
    finish: Callable[[], None],
    *,
    wanted: MuranoClass,
    excluded: frozenset[str],
) -> dict[str, Any]:
    """Check the template of a value.

    `shell` creates the object of a definition without properties, `finish` sets and checks these.
    """
    if isinstance(value, MuranoObject):
        _check_kind(value, wanted)
        return dump_template(value, excluded)
    object_ = shell()
    for path in excluded:
        _leave_out(object_, path)
    _check_kind(object_, wanted)
    finish()
    return dump_template(object_, excluded)


def _leave_out(object_: MuranoObject, path: str) -> None:
    """Exclude a property from a dry run; `a.b` means `b` of the object that `a` holds."""
    state = object_.initialising
    assert state is not None
    name, dot, rest = path.partition(".")
    if not dot:
        state.excluded |= {name}
    elif isinstance(part := state.values.get(name), MuranoObject) and part.initialising is not None:
        _leave_out(part, rest)


def _check_kind(object_: MuranoObject, wanted: MuranoClass) -> None:
    if not object_.cls.is_a(wanted):
        raise ContractViolationError(f"{object_.cls.name} is no {wanted.name}", object_)


_MOST_ERRORS = 100

NO_OBJECT: Final = failure_rule(
    "NoObjectFoundError",
    "MRUN:E017",
    "an object id that is nowhere in the model",
    "A text under a class contract is the id of an object, which must be defined somewhere in the same model.",
)
DUPLICATE_ID: Final = failure_rule(
    "DuplicateObjectId",
    "MRUN:E025",
    "two objects with one id",
    "An id is how references find an object, so it must be unique in the model.",
)


class Loader:
    """One load of a model.

    `keep_ids`: objects keep the ids of their definitions, as in a model; otherwise every object gets a new
    id.
    """

    def __init__(
        self,
        runtime: Runtime,
        *,
        keep_ids: bool = False,
        is_dry: bool = False,
        positions: ModelPositions | None = None,
        previous: PreviousRun | None = None,
    ) -> None:
        self.runtime = runtime
        self.keep_ids = keep_ids
        self.is_dry = is_dry
        self.positions = positions
        self.previous = previous
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
        self._initialising: type[ObjectInitializer] = ObjectInitializer
        self._watch: Callable[[MuranoObject, Mapping[Any, Any], Loader], None] | None = None
        if runtime.recorder is not None:
            from sabir.languages.muranopl.evaluate.recording.objects import RecordedInitializer, watch_object

            self._initialising, self._watch = RecordedInitializer, watch_object

    # -- first pass ------------------------------------------------------------------------------------------------

    def shell(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass | None
    ) -> MuranoObject:
        """Create the object of a definition and of all definitions inside it, without properties."""
        try:
            definition = parse_definition(raw, default, self.runtime)
        except MuranoError as error:
            if error.place is None and self.positions is not None:
                error.place = self.positions.of(raw)
            raise
        cls, id_, properties = definition.cls, definition.id, definition.properties
        if id_ and not self.keep_ids and raw is self._made_of.get(id_):
            return self.local[id_]  # the same data in several places is one object
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
        values = dict(
            properties if self.previous is None else self.previous.merge_values(object_, properties)
        )
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
        """Move an object with a derived id out of the way: an id in the model belongs to the object defined with
        it.
        """
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

    def _note_unknown(self, object_: MuranoObject, raw: Mapping[Any, Any]) -> None:
        assert self.positions is not None
        for key in raw:
            if key in ("?", *object_.cls.declared) or (object_.cls.name, key) in self._warned:
                continue
            if object_.cls.takes_from_model(key):
                continue
            self._warned.add((object_.cls.name, key))
            self.warnings.append(report_unknown_property(object_, key, self.positions.of_key(raw, key)))

    # -- second pass -----------------------------------------------------------------------------------------------

    def finish(self) -> None:
        """Set the properties of every pending object, then run the constructors.

        All independent mistakes of a model are found in one run: the first is raised, the others are attached
        to it.
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
                if self.previous is not None:
                    self.previous.check_constants(object_)

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
                if isinstance(error, ContractViolationError):
                    place_in_owners(error, object_, top)
                if not error.can_be_caught or not self.keep_ids:
                    raise
                errors.append(error)
                if len(errors) >= _MOST_ERRORS:
                    return
        self.finished.append(object_)

    def _construct(self, object_: MuranoObject, state: ObjectInitializer) -> None:
        values, constructing = state.values, self.runtime.constructing
        constructing.add(object_)
        try:
            for method in object_.cls.constructors:
                names = [name for name in method.argument_names if name in values]
                state.construct(names)
                method.invoke(object_, {}, **{name: values[name] for name in names})
        finally:
            constructing.discard(object_)

    # -- what contracts ask for --------------------------------------------------------------------------------------

    def find(self, id_: str) -> MuranoObject:
        """Return the object with an id, wherever it is defined."""
        object_ = self.local.get(id_) or self.runtime.store.get(id_)
        if object_ is None:
            raise MuranoError(
                NO_OBJECT,
                f"there is no object with the id {id_!r}",
                hint="a property with a class contract holds an object or the id of one that the model defines",
            )
        return object_

    def owner_for(self, this: Any) -> MuranoObject | None:
        """Return the owner of an object that a contract creates from data: the object with the property or
        argument.
        """
        return this if isinstance(this, MuranoObject) else None

    def instantiate(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass
    ) -> MuranoObject:
        """Create an object while properties are being set: from a default, or from data passed to a class
        contract.
        """
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
        """Return the value of a property that is neither set nor has a default.

        It is null, or the definition of an instance of the contract's default class (S-11), unless that would
        recurse without end.
        """
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
        """Return a template as a dictionary, checked by a dry run whose objects are never visible to code."""

        dry = Loader(self.runtime, keep_ids=True, is_dry=True, positions=self.positions)
        owner = this if isinstance(this, MuranoObject) else None

        def shell() -> MuranoObject:
            object_ = dry.shell(value, owner, default)
            dry.local = {**self.local, **dry.local}
            return object_

        return check_template(value, shell, dry.finish, wanted=wanted, excluded=excluded)

    def note_dropped(self, keys: list[Any], this: Any) -> None:
        """Report keys that a dictionary contract drops because it does not name them (S-07)."""
        if self.positions is not None:
            self.runtime.note_dropped(keys, this)

    def explain(
        self, error: ContractViolationError, object_: MuranoObject, declaration: PropertyDeclaration
    ) -> None:
        explain_violation(error, object_, declaration, self.positions)


class ImmediateLoader(Loader):
    """A loader for running code: it returns complete objects, constructors included."""

    def instantiate(
        self, raw: Mapping[Any, Any], owner: MuranoObject | None, default: MuranoClass | None
    ) -> MuranoObject:
        return self.make(raw, owner, default=default)

    def make(
        self,
        raw: Mapping[Any, Any],
        owner: MuranoObject | None,
        made_for: MadeFor = None,
        default: MuranoClass | None = None,
    ) -> MuranoObject:
        """Create an object for the target of the running assignment, or without a target."""
        loader = Loader(self.runtime)
        loader.made_for = made_for
        object_ = loader.shell(raw, owner, default)
        loader.finish()
        return object_


class ArgumentLoader(ImmediateLoader):
    """A loader for arguments of methods: objects created from data that a caller passes have no owner."""

    def owner_for(self, this: Any) -> MuranoObject | None:
        del this
        return None
