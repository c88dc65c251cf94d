"""YAQL functions that wait, run in parallel, generate values, read settings, or log.

Pauses and random values are effects: a program that is resumed gets the recorded result again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from random import Random
from typing import Any, Final

from sabir.diagnostics.reasons import explain_error
from sabir.expressions.yaql import LAMBDA, Lambda, Library, Variables
from sabir.expressions.yaql.kinds import BOOL, INT, ITERABLE, NULL, NUMBER, STRING
from sabir.languages.muranopl.evaluate.functions.types import runtime_of
from sabir.languages.muranopl.evaluate.system.registry import perform_effect
from sabir.languages.muranopl.model.errors import UNUSABLE_VALUE, MuranoError
from sabir.languages.muranopl.model.objects import current_class
from sabir.languages.muranopl.worlds.effects import EffectKind

FUNCTIONS: Final = Library()


@FUNCTIONS.function("sleep", NUMBER)
def sleep(variables: Variables, seconds: float) -> None:
    """Wait for a number of seconds; other branches of `Parallel` run meanwhile."""
    runtime = runtime_of(variables)
    if runtime.world is None:
        runtime.sleep(seconds)
    else:  # a pause is an effect: a repeated run does not wait again
        perform_effect(runtime, EffectKind.PAUSE, seconds=seconds)


@FUNCTIONS.extension("pselect", ITERABLE, LAMBDA, INT | NULL)
def pselect(variables: Variables, collection: Iterable[Any], func: Lambda, limit: Any = None) -> list[Any]:
    """Evaluate `select` with the items in parallel; results keep the order of the items."""
    runtime = runtime_of(variables)
    finalize = runtime.engine_for("1.4", ()).finalize

    def task(item: Any) -> Callable[[], Any]:
        function = func.fresh()
        return lambda: finalize(function(item))

    result: list[Any] = runtime.scheduler.run_all([task(item) for item in collection], limit)
    return result


@FUNCTIONS.extension("require")
def require(value: Any) -> Any:
    """Return the value; fail if it is null."""
    if value is None:
        raise MuranoError(UNUSABLE_VALUE, "a required value is missing")
    return value


@FUNCTIONS.function("randomName")
def random_name(variables: Variables) -> str:
    """Return a short name that is used only once; it starts with a letter, as host names must."""
    name: str = perform_effect(
        runtime_of(variables), EffectKind.RANDOM, length=15
    )  # a repeated run gets the same name
    return name


@FUNCTIONS.function("random")
def random_number(variables: Variables) -> float:
    """Return a random number from 0 to 1; a repeated run gets the same number."""
    return _random_generator(variables).random()


@FUNCTIONS.function("random", INT, INT)
def random_between(variables: Variables, from_: int, to_: int) -> int:
    """Return a random integer from `from_` to `to_`, both included; raise `ValueError` if the range is empty."""
    if from_ > to_:  # the message of Python differs between its versions
        raise ValueError(f"the range is empty: {from_} is greater than {to_}")
    return _random_generator(variables).randint(from_, to_)


def _random_generator(variables: Variables) -> Random:
    return Random(perform_effect(runtime_of(variables), EffectKind.RANDOM, length=24))


@FUNCTIONS.function("config", STRING, STRING, BOOL)
def config(variables: Variables, group: str, setting: str, read_as_file: Any = False) -> Any:  # noqa: FBT002  # as packages call it
    """Return a setting of the engine, or the text of the file it names. Only the core library may read settings."""
    runtime, cls = runtime_of(variables), current_class(variables)
    if cls is None or cls.package is not runtime.core:
        raise MuranoError(UNUSABLE_VALUE, "settings of the engine are for the core library only")
    try:
        value = runtime.settings.get(group, setting)
    except KeyError:
        raise MuranoError(UNUSABLE_VALUE, f"there is no setting {setting!r} in the group {group!r}") from None
    if not read_as_file:
        return value
    try:
        return Path(value).read_text("utf-8") if value else ""
    except (OSError, UnicodeDecodeError) as error:
        raise MuranoError(
            UNUSABLE_VALUE, f"{setting} of {group} names {value!r}: {explain_error(error)}"
        ) from None


@FUNCTIONS.function("config", STRING)
def config_default(variables: Variables, setting: str) -> Any:
    """Return a setting of the group `DEFAULT`."""
    return config(variables, "DEFAULT", setting)


@FUNCTIONS.function("logger", STRING)
def logger(variables: Variables, logger_name: str) -> Any:
    """Return an object of `io.murano.system.Logger` with the given name."""
    runtime = runtime_of(variables)
    cls = runtime.core_class("io.murano.system.Logger")
    return runtime.loader.instantiate({cls: {"name": logger_name}}, None, None)
