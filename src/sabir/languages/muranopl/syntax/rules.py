"""Rules of failures that code can catch, and the differences between the check and the engine.

The reader finds a defect once, and both the check and loading report it, except for the differences listed
here with their reasons. Row numbers are those of the requirements.

Packages catch a failure of the engine by the name of its exception there; the rule has that name in addition
to the code of the finding that an uncaught failure becomes.
"""

from __future__ import annotations

from typing import Final, Literal

from msgspec import Struct

from sabir.diagnostics.rules import Rule


class EngineDifference(Struct, frozen=True, kw_only=True):
    """A defect that only one side reports. `only` names that side; the other one accepts the declaration."""

    subject: str
    only: Literal["check", "load"]
    rows: tuple[str, ...]
    why: str


TRY_WITHOUT_CATCH: Final = EngineDifference(
    subject="Try with neither Catch nor Finally",
    only="check",
    rows=("V-024", "M-183"),
    why="it handles nothing; the engine runs the block all the same",
)
CATCH_WITHOUT_DO: Final = EngineDifference(
    subject="Catch without Do",
    only="check",
    rows=("V-024", "M-186"),
    why="it drops the exception without a word; the engine runs it as an empty block",
)
CALL_IN_TARGET: Final = EngineDifference(
    subject="an assignment whose target calls something on the way",
    only="load",
    rows=("V-025", "M-162"),
    why="published packages write `type('a.B').property: value`; the engine assigns along properties and keys only",
)
REPEAT_SCALAR: Final = EngineDifference(
    subject="Repeat with a text, or with a number that is no integer",
    only="load",
    rows=("V-024", "M-173"),
    why="the document shows Repeat without a value (S-14), so the check lets every scalar be",
)

# -- declarations --------------------------------------------------------------------------------------------------

IGNORED_KEY: Final = EngineDifference(
    subject="a key that the table of a class, property, method or argument does not have",
    only="check",
    rows=("V-020", "M-001"),
    why="it is a misspelling or does nothing; the engine passes over it",
)
NULL_CONTRACT: Final = EngineDifference(
    subject="a property whose Contract has no value",
    only="check",
    rows=("V-096", "M-034"),
    why="the document requires a contract; for the engine it is the contract that takes null alone",
)
LOOSE_NAME: Final = EngineDifference(
    subject="a method or argument with a dot before its name, letters beyond ASCII, or a word that YAML takes for a boolean",
    only="check",
    rows=("V-019", "M-006"),
    why="only .init and .destroy begin with a dot, and other readers of YAML see no name in `yes`; the engine calls them all",
)
META_BY_NAME: Final = EngineDifference(
    subject="Meta that names a meta-class without its properties",
    only="check",
    rows=("V-090", "V-107", "V-118", "V-126"),
    why="the document has mappings and lists of mappings; the engine takes the name as a mapping without properties",
)
WORKFLOW: Final = EngineDifference(
    subject="the section Workflow",
    only="check",
    rows=("V-081", "M-006"),
    why="the old name of Methods, still read (S-03); refused only beside Methods",
)
ARGUMENTS_MAPPING: Final = EngineDifference(
    subject="Arguments as one mapping with several keys or none",
    only="check",
    rows=("V-110", "M-007"),
    why="a mapping has no order to rely on; the engine takes the order in which it is written",
)
LOOSE_CLASS_NAME: Final = EngineDifference(
    subject="a class whose name begins with two underscores, has a prefix of another namespace or letters beyond ASCII",
    only="check",
    rows=("V-077", "V-078", "M-011"),
    why="the document reserves or forbids such names; the engine finds the class all the same",
)
META_KEY_ON_CLASS: Final = EngineDifference(
    subject="Cardinality, Applies or Inherited on a class that is no meta-class",
    only="check",
    rows=("V-091",),
    why="they mean nothing there; the engine passes over them, unless their values do not exist",
)
NULL_META_KEY: Final = EngineDifference(
    subject="Cardinality, Applies or Inherited of a meta-class without a value",
    only="check",
    rows=("V-092", "V-093", "V-095"),
    why="the document names the values they have; for the engine it is as if the key were not there",
)
ARGUMENT_CONTRACT: Final = EngineDifference(
    subject="an argument without Contract",
    only="load",
    rows=("V-120", "M-035"),
    why="the document requires it of properties only; the engine of both",
)
ACTION_IN_SESSION: Final = EngineDifference(
    subject="a method of Usage Action and Scope Session",
    only="load",
    rows=("V-109", "V-117"),
    why="the document allows each by itself; the check already says that Action is deprecated where there is Scope",
)

DIFFERENCES: Final = (
    TRY_WITHOUT_CATCH,
    CATCH_WITHOUT_DO,
    CALL_IN_TARGET,
    REPEAT_SCALAR,
    IGNORED_KEY,
    NULL_CONTRACT,
    LOOSE_NAME,
    META_BY_NAME,
    WORKFLOW,
    ARGUMENTS_MAPPING,
    ARGUMENT_CONTRACT,
    ACTION_IN_SESSION,
    LOOSE_CLASS_NAME,
    META_KEY_ON_CLASS,
    NULL_META_KEY,
)


class FailureRule(Rule, frozen=True, kw_only=True):
    """The rule of a failure that `Catch` can handle by name."""

    kind: str
    """The name of the exception in the existing engine."""


def failure_rule(kind: str, code: str, title: str, why: str) -> FailureRule:
    """Return the rule of a failure; `kind` is the name of its exception in the original engine."""
    return FailureRule(
        kind=kind,
        code=code,
        title=title,
        why=why,
        examples="sabir.languages.muranopl",
        language="muranopl",
        when="evaluate",
    )
