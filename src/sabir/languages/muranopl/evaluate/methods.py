"""Methods: binding and checking arguments, compiling the body at the first call, stack frames of failures.

A statement that ends normally returns None, otherwise a `Signal` that tells its block how to continue.

Static methods of imported classes that are marked as extensions can be called on values. Whether one applies
depends on the type of the value and the contract of its first argument; values are not converted for that, or
any extension for strings would also apply to numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from enum import Enum
from types import FrameType
from typing import TYPE_CHECKING, Any, Final

from sabir.diagnostics.finding import Frame
from sabir.diagnostics.suggestions import did_you_mean
from sabir.expressions.yaql import Library, NoMatch, Variables
from sabir.expressions.yaql.compile.arguments import accepts_value
from sabir.expressions.yaql.functions import Overload, YaqlParameter
from sabir.expressions.yaql.kinds import ANY, NULL
from sabir.languages.muranopl.evaluate.arguments import MethodArgument, WrongArgumentsError
from sabir.languages.muranopl.model.classes import WRONG_CALL, ClassContext, MuranoClass
from sabir.languages.muranopl.model.errors import (
    ContractViolationError,
    MuranoError,
    Unstoppable,
    format_value,
)
from sabir.languages.muranopl.model.objects import (
    CALLER,
    CONTEXT,
    DEPTH,
    MADE_FOR,
    MAKING,
    RESULT,
    THIS,
    MuranoObject,
    unwrap_object,
)
from sabir.languages.muranopl.syntax.nodes import MethodNode
from sabir.languages.muranopl.syntax.rules import failure_rule
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.muranopl.evaluate.metadata import LockScope
    from sabir.languages.muranopl.evaluate.statements import Run


class Signal(Enum):
    """The ways in which a statement can end other than normally."""

    BREAK = "Break"
    CONTINUE = "Continue"
    RETURN = "Return"


BREAK: Final = Signal.BREAK
CONTINUE: Final = Signal.CONTINUE
RETURN: Final = Signal.RETURN


CONSTRUCTORS: Final = (".init", "initialize")
"""The names of a constructor, the first before the second."""

MISPLACED_JUMP: Final = failure_rule(
    "DslInvalidOperationError",
    "MRUN:E021",
    "Break, Continue or Rethrow at the wrong place",
    "Break and Continue belong to a loop of the same method, Rethrow to a Catch block.",
)


class Method:
    """A method of a class. `native` is the Python function that implements a method of a system class."""

    __slots__ = (
        "_body",
        "_locking",
        "_positional",
        "arguments",
        "cls",
        "context",
        "is_exposed",
        "is_static",
        "keywords",
        "loader",
        "name",
        "native",
        "node",
        "rest",
        "runtime",
    )

    def __init__(self, node: MethodNode, cls: MuranoClass) -> None:
        self.node = node
        self.cls = cls
        self.name = node.name
        self.runtime = cls.runtime
        self.context = ClassContext(cls, self)
        self.is_static = node.usage in ("Static", "Extension")
        self.is_exposed = node.scope == "Public" or node.usage == "Action"
        self.native: Callable[..., Any] | None = None
        runtime = cls.runtime
        self.loader = runtime.loader if node.name in CONSTRUCTORS else runtime.argument_loader
        """What the contracts of its arguments ask: objects that a constructor is given are its object's own."""
        arguments = [MethodArgument(argument, cls) for argument in node.arguments]
        self.arguments = tuple(argument for argument in arguments if argument.node.usage == "Standard")
        self.rest = next((argument for argument in arguments if argument.node.usage == "VarArgs"), None)
        self.keywords = next((argument for argument in arguments if argument.node.usage == "KwArgs"), None)
        self._positional = tuple((argument.name, argument.check) for argument in self.arguments)
        self._body: Run | None = None
        self._locking: LockScope | None = None

    @property
    def locking(self) -> LockScope:
        """The calls that exclude each other in `Parallel`."""
        if self._locking is None:
            from sabir.languages.muranopl.evaluate.metadata import find_lock_scope

            self._locking = find_lock_scope(self)
        return self._locking

    @property
    def full_name(self) -> str:
        return f"{self.cls.name}.{self.name}"

    @property
    def place(self) -> Place:
        return Place(self.cls.node.source, self.node.span)

    @property
    def argument_names(self) -> tuple[str, ...]:
        return tuple(argument.name for argument in self.arguments)

    def invoke(self, this: Any, caller: Variables, /, *args: Any, **kwargs: Any) -> Any:
        """Call it on an object, or on the class if it is static. `caller` holds the variables of the calling
        code.
        """
        runtime = self.runtime
        meter = runtime.meter
        meter.left -= 1
        if meter.left < meter.until_clock:
            meter.refill()
        depth = caller.get(DEPTH, 0) + 1
        if depth > runtime.max_depth:
            raise _too_deep(runtime.max_depth)
        if self.is_static:
            this = self.cls
        variables: Variables = {"$": this, THIS: this, CONTEXT: self.context, DEPTH: depth}
        making = caller.get(MAKING)
        if making is not None:
            variables[MADE_FOR] = variables[MAKING] = making
        if self.native is not None:
            variables[CALLER] = caller
        try:
            if (
                len(args) == len(self._positional)
                and not kwargs
                and self.rest is None
                and self.keywords is None
            ):
                self._bind_all(variables, this, args)
            else:
                self._bind(variables, this, args, kwargs)
            if runtime.scheduler.is_active:
                return runtime.scheduler.run_locked(self, this, variables)
            return self.run(variables)
        except MuranoError as error:
            self._leave(error)
            raise

    def bind_call(self, this: Any, caller: Variables, /, *first: Any) -> Callable[..., Any]:
        """`invoke` for code that only has the arguments, which follow those given here.

        It is a function, and it calls a function and no bound method: then no call passes through C code. Python 3.12 limits
        how deep such calls may be nested, in its first releases to 1500 for calls of all kinds, and no setting raises that.
        """
        invoke = type(self).invoke

        def call(*args: Any, **kwargs: Any) -> Any:
            return invoke(self, this, caller, *first, *args, **kwargs)

        return call

    def run(self, variables: Variables) -> Any:
        """Run the body with bound arguments."""
        body = self._body or self._compile()
        signal = body(variables)
        if signal is RETURN:
            return variables[RESULT]
        if signal is not None:
            raise self._jump_error(signal)
        return None

    def _compile(self) -> Run:
        if self.native is not None:
            self._body = self._native_body(self.native)
        else:
            from sabir.languages.muranopl.evaluate.statements import MethodCompiler

            self._body = MethodCompiler(self.cls.engine, self.runtime).block(self.node.body)
        return self._body

    def _native_body(self, function: Callable[..., Any]) -> Run:
        names = self.argument_names
        rest = self.rest.name if self.rest else None
        finalize = self.cls.engine.engine.finalize

        def run(variables: Variables) -> Signal:
            values = [variables[name] for name in names]
            if rest is not None:
                values.extend(variables[rest])
            variables[RESULT] = finalize(function(variables[THIS], variables, *values))
            return RETURN

        return run

    # -- arguments ---------------------------------------------------------------------------------------------------

    def _bind_all(self, variables: Variables, this: Any, args: tuple[Any, ...]) -> None:
        """Bind the arguments of the usual call, where all are passed by position."""
        loader = self.loader
        index = 0
        try:
            for name, check in self._positional:
                variables[name] = check(args[index], this, loader)
                index += 1
        except ContractViolationError as violation:
            raise self._name_violation(violation, self.arguments[index]) from None

    def _bind(
        self, variables: Variables, this: Any, args: tuple[Any, ...], kwargs: Mapping[str, Any]
    ) -> None:
        loader = self.loader
        named = dict(kwargs)
        for index, argument in enumerate(self.arguments):
            name = argument.name
            if index < len(args):
                if name in named:
                    raise self._wrong_call(f"argument {name!r} is given twice")
                value = args[index]
            elif name in named:
                value = named.pop(name)
            elif argument.default is not None:
                value = argument.default({"$": this, THIS: this, CONTEXT: self.context, DEPTH: 0})
            else:
                value = None
            self._check(variables, argument, value, this)
        extra = args[len(self.arguments) :]
        if self.rest is not None:
            values: list[Any] = []
            variables[self.rest.name] = values
            try:
                for value in extra:
                    values.append(self.rest.check(value, this, loader))  # noqa: PERF401  # a violation counts them
            except ContractViolationError as violation:
                violation.inside(f"[{len(values)}]")
                raise self._name_violation(violation, self.rest) from None
        elif extra:
            most = len(self.arguments)
            raise self._wrong_call(
                f"it takes {most or 'no'} argument{'s' * (most != 1)}, {len(args)} were given"
            )
        if self.keywords is not None:
            result: dict[str, Any] = {}
            variables[self.keywords.name] = result
            for name, value in named.items():
                try:
                    result[name] = self.keywords.check(value, this, loader)
                except ContractViolationError as violation:
                    raise self._name_violation(violation.inside(f"[{name!r}]"), self.keywords) from None
        elif named:
            name = next(iter(named))
            raise self._wrong_call(f"it has no argument {name!r}", did_you_mean(name, self.argument_names))

    def _check(self, variables: Variables, argument: MethodArgument, value: Any, this: Any) -> None:
        try:
            variables[argument.name] = argument.check(value, this, self.loader)
        except ContractViolationError as violation:
            raise self._name_violation(violation, argument) from None

    def _name_violation(
        self, violation: ContractViolationError, argument: MethodArgument
    ) -> ContractViolationError:
        place = Place(self.cls.node.source, argument.node.contract.span)
        return violation.add_subject(f"{self.cls.name}::{self.name}({argument.name}", place, ")")

    def _wrong_call(self, problem: str, hint: str | None = None) -> MuranoError:
        return WrongArgumentsError(
            WRONG_CALL, f"method {self.full_name} is called wrongly: {problem}", hint=hint
        )

    # -- failures ----------------------------------------------------------------------------------------------------

    def _leave(self, error: MuranoError) -> None:
        error.frames.append(Frame(place=error.at or error.place or self.place, name=self.full_name))
        error.place = error.place or error.at
        error.at = None

    def _jump_error(self, signal: Signal) -> MuranoError:
        return MuranoError(
            MISPLACED_JUMP,
            f"{signal.value!r} stands outside of a loop in method {self.full_name}",
        )

    def __repr__(self) -> str:
        return self.full_name


def find_active_variables(runtime: Any) -> Iterator[Variables]:
    """Return the variables of all unfinished method calls of a run, in all branches.

    They are read from the frames of Python on demand, which is rare: tracking them would make every call a
    tenth slower.
    """
    # It is documented, and nothing else gives access to the frames of other threads.
    for top in sys._current_frames().values():  # pyright: ignore[reportPrivateUsage]
        frame: FrameType | None = top
        while frame is not None:
            if frame.f_code is Method.invoke.__code__ and frame.f_locals.get("runtime") is runtime:
                yield frame.f_locals.get("variables", {})
            frame = frame.f_back


def _too_deep(limit: int) -> MuranoError:
    return Unstoppable(
        f"methods call each other more than {limit} levels deep",
        hint="look for a method that calls itself without end",
    )


def check_exposed(method: Method, this: MuranoObject | MuranoClass) -> None:
    """Reject a call from outside unless the method is `Scope: Public` or `Usage: Action`."""
    if not method.is_exposed:
        exposed = [method_.name for method_ in method.cls.list_public_methods()]
        raise MuranoError(
            WRONG_CALL,
            f"method {method.name!r} of {format_value(this)} cannot be called from outside",
            kind="MethodNotExposed",
            place=method.place,
            hint="declare it with `Scope: Public`"
            + (f"; callable are {', '.join(exposed)}" if exposed else ""),
        )


def with_extensions(library: Library, imports: Iterable[MuranoClass]) -> Library:
    """Return the library with the extension methods of classes on top."""
    extended = Library(library)
    add_extensions(extended, imports)
    return extended


def add_extensions(library: Library, classes: Iterable[MuranoClass]) -> None:
    """Declare the extension methods of classes in a library."""
    by_name: dict[str, list[Method]] = {}
    for cls in classes:
        for name in sorted(cls.method_names()):
            method = cls.lookup(name)
            if method is not None and method.node.usage == "Extension" and method.arguments:
                by_name.setdefault(name, []).append(method)
    for name, methods in by_name.items():
        library.add(_build_overload(name, methods))


def _build_overload(name: str, methods: list[Method]) -> Overload:
    def call(variables: Variables, receiver: Any, /, *args: Any, **kwargs: Any) -> Any:
        for method in methods:
            if _accepts_receiver(method, receiver):
                return method.bind_call(method.cls, variables)(receiver, *args, **kwargs)
        raise NoMatch(f"the extension method `{name}` is for other values")

    kinds = 0
    for method in methods:
        kinds |= method.arguments[0].contract.kinds
    anything = YaqlParameter("rest", ANY, None)
    return Overload(
        name=name,
        function=call,
        hidden=("variables",),
        parameters=(YaqlParameter("receiver", kinds, _load_missing_marker()),),
        rest=anything,
        keywords=anything,
        is_function=False,
        is_method=True,
        rules=False,
    )


def _load_missing_marker() -> Any:
    from sabir.expressions.yaql.functions import MISSING

    return MISSING


def _accepts_receiver(method: Method, receiver: Any) -> bool:
    contract = method.arguments[0].contract
    if contract.wanted_class is None:
        return accepts_value(contract.kinds, receiver)
    value = unwrap_object(receiver)
    if value is None:
        return bool(contract.kinds & NULL)
    return isinstance(value, MuranoObject) and value.cls.is_a(contract.wanted_class())
