"""A call from outside by its words, and everything that belongs to its end."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sabir.languages.muranopl.evaluate.session import Session
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import MuranoError
from sabir.languages.muranopl.model.objects import MuranoObject

__all__ = ["DEFAULT_METHOD", "perform_call"]

DEFAULT_METHOD: Final = "deploy"


def perform_call(session: Session, call: str | None, args: Mapping[str, Any]) -> Any:
    """Call `[OBJECT.]METHOD` or `CLASS.METHOD`, None for `deploy` of the root; then end what nobody holds any more.

    A model in which nothing is left has nothing to call; what it had is ended all the same.
    """
    result = None
    if session.runtime.root is not None:
        target, method = _target(session, call)
        result = session.call(target, method, kwargs=args, from_outside=call is not None)
    session.runtime.destruction.collect()
    session.runtime.finish()
    return result


def _target(session: Session, call: str | None) -> tuple[MuranoObject | MuranoClass, str]:
    """The object or class to call on, and the method."""
    root = session.runtime.root
    assert root is not None
    subject, dot, method = (call or DEFAULT_METHOD).rpartition(".")
    if subject.endswith("."):  # `root..init`: the name of the method begins with a period
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
