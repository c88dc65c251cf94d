"""A program: everything that one deployment, or one call on a deployed model, does.

The state of the last run is loaded in addition to the desired model. Objects that only the last run had are
destroyed, then the action runs, then unreachable objects are destroyed as well, and the model is written
back. Background pushes of stacks run last.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from msgspec import Struct, field

from sabir.languages.muranopl.evaluate.positions import ModelPositions
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject

LOAD: Final = "<load>"
COLLECT: Final = "<GC>"


class ActionCall(Struct, frozen=True, kw_only=True):
    """A method to call; without an object it is a method of the root."""

    method: str = "deploy"
    object: str | None = None
    arguments: Mapping[str, Any] = field(default_factory=dict[str, Any])
    from_outside: bool = False


DEPLOY: Final = ActionCall()


class Storage(Struct, frozen=True, kw_only=True):
    """The state between runs. `objects` is the desired model, None to delete everything; `copy` the last result."""

    objects: Mapping[Any, Any] | None
    copy: Mapping[Any, Any] | None = None
    attributes: Sequence[Any] = ()


class ProgramOutcome(Struct, frozen=True, kw_only=True):
    """How a program ended, and the state for the next one. `stage` is where an error happened."""

    storage: Storage
    result: Any = None
    error: MuranoError | None = None
    stage: str | None = None


def run_program(
    session: MuranoRun,
    storage: Storage,
    action: ActionCall | None = DEPLOY,
    *,
    positions: ModelPositions | None = None,
) -> ProgramOutcome:
    """Run a program.

    A failed action leaves the model as far as it came; a failed load leaves it as it was.
    """
    runtime = session.runtime
    try:
        session.begin(
            storage.objects, previous=storage.copy, attributes=storage.attributes, positions=positions
        )
    except MuranoError as error:
        kept = Storage(objects=storage.objects, copy=None, attributes=storage.attributes)
        return ProgramOutcome(storage=kept, error=error, stage=LOAD)
    result, failure, stage = None, None, None
    try:
        stage = COLLECT
        session.destroy_vanished()
        if action is not None and runtime.root is not None:
            stage = action.method
            target = runtime.root if action.object is None else session.find_object(action.object)
            result = session.call(
                target, action.method, kwargs=action.arguments, from_outside=action.from_outside
            )
        stage = None
    except MuranoError as error:
        failure = error
    kept = _put_away(session, storage)
    try:
        runtime.finish()
    except MuranoError as error:
        failure = failure or error
    return ProgramOutcome(storage=kept, result=result, error=failure, stage=stage)


def _put_away(session: MuranoRun, before: Storage) -> Storage:
    """Return the current model. Unreachable objects are destroyed first and are not part of it."""
    runtime = session.runtime
    runtime.destruction.collect()
    if runtime.root is None:
        return Storage(objects=None, copy=None, attributes=before.attributes)
    model = session.dump()
    return Storage(objects=model, copy=model, attributes=runtime.attributes.dump())


DEFAULT_METHOD: Final = "deploy"


def perform_call(session: MuranoRun, call: str | None, args: Mapping[str, Any]) -> Any:
    """Call `[OBJECT.]METHOD` or `CLASS.METHOD`, None for `deploy` of the root; then destroy unreachable objects.

    An empty model has nothing to call, but its former objects are destroyed nevertheless.
    """
    result = None
    if session.runtime.root is not None:
        target, method = _resolve_call(session, call)
        result = session.call(target, method, kwargs=args, from_outside=call is not None)
    session.runtime.destruction.collect()
    session.runtime.finish()
    return result


def _resolve_call(session: MuranoRun, call: str | None) -> tuple[MuranoObject | MuranoClass, str]:
    """Return the object or class to call on, and the method."""
    root = session.runtime.root
    assert root is not None
    subject, dot, method = (call or DEFAULT_METHOD).rpartition(".")
    if subject.endswith("."):  # `root..init`: the name of the method starts with a period
        subject, method = subject[:-1], "." + method
    if not dot or not subject:
        return root, method if dot or not subject else call or DEFAULT_METHOD
    try:
        return session.find_object(subject), method
    except MuranoError as error:
        try:
            return session.find_class(subject), method
        except MuranoError:
            raise error from None
