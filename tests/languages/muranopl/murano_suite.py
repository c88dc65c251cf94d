"""Runs the tests of the existing engine's language, as its distribution brings them, against sabir.

    PYTHONPATH=.:src:SITE_PACKAGES_OF_SABIR python -m tests.languages.muranopl.murano_suite [MODULE …]

with an interpreter that has `murano` 16 and what its tests import (fixtures, testtools, oslotest, ddt). The modules that set up
the engine (`foundation.runner`, `foundation.test_case`) are replaced by this one; everything else of a test is as published. Prints a
line for each test and closes with `N passed, M failed, K not of the language`.
"""

from __future__ import annotations

import ast
import importlib
import pkgutil
import sys
import types
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import testtools  # type: ignore[import-not-found,unused-ignore]  # brought by the interpreter

from sabir.expressions.yaql import Library
from sabir.expressions.yaql.kinds import ANY
from sabir.languages.muranopl.evaluate.packages import MuranoPackage
from sabir.languages.muranopl.evaluate.runtime import Runtime
from sabir.languages.muranopl.evaluate.serialisation import plain_result
from sabir.languages.muranopl.evaluate.session import MuranoRun
from sabir.languages.muranopl.model.classes import MuranoClass
from sabir.languages.muranopl.model.errors import MuranoError, ThrownException
from sabir.languages.muranopl.model.objects import MuranoObject, unwrap_object
from sabir.languages.muranopl.syntax.classes import read_class_file
from sabir.languages.muranopl.syntax.manifest import Manifest
from sabir.source.packages import MemoryPackage
from sabir.source.yaml import compose
from sabir.text import Source

TESTS = "murano.tests.unit.dsl"
OTHERS = {
    "test_agent": "clients of the engine",
    "test_attribute_store": "a class of the engine",
    "test_context_manager": "a class of the engine",
    "test_helpers": "functions of the engine",
    "test_logger": "the logger of the engine",
    "test_results_serializer": "a class of the engine",
    "test_schema_generation": "the JSON Schema generator of the engine",
    "test_session_local_storage": "a class of the engine",
    "test_find_class": "the package loader of the engine",
    "test_versioning": "the package loader of the engine",
}
"""Modules that test parts of the engine and not the language."""


class Runner:
    """Stands in for the runner of the published tests."""

    session_: MuranoRun

    def __init__(
        self, model: Any, classes: Path, functions: dict[str, Callable[..., Any]], config: Any
    ) -> None:
        from murano.tests.unit.dsl.foundation import object_model  # type: ignore[import-not-found]  # brought by the interpreter

        self._build = object_model.build_model
        model = self._build(object_model.Object(model) if isinstance(model, str) else model)
        storage = model if "Objects" in model else {"Objects": model}
        library = _library({**functions, **self._switching(functions.get("yield"))})
        self.session_ = MuranoRun(
            Runtime([_package(classes)], functions=library, config=config, sleeps=False)
        )
        self.preserve_exception = False
        self.loaded: Any = None
        with _translated():
            self.loaded = self.session_.begin(
                storage["Objects"],
                previous=storage.get("ObjectsCopy"),
                attributes=storage.get("Attributes") or (),
            )
            self.session_.destroy_vanished()

    def _switching(self, noted: Callable[..., Any] | None) -> dict[str, Callable[..., Any]]:
        """A function `yield` lets others go on, which greenlets do by sleeping for no time."""

        def switch() -> None:
            assert noted is not None
            noted()
            self.session_.runtime.sleep(0)

        return {} if noted is None else {"yield": switch}

    def on(self, receiver: Any) -> Any:
        id_ = receiver if isinstance(receiver, str) else receiver.id
        return _Receiver(self, self.session_.find_object(id_) if isinstance(id_, str) else id_)

    def on_class(self, name: str) -> Any:
        return _Receiver(self, self.session_.find_class(name))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("test"):
            return getattr(_Receiver(self, self.loaded), name)
        raise AttributeError(name)

    @property
    def serialized_model(self) -> Any:
        return self.session_.storage()

    def call(self, receiver: Any, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        with _translated():
            result = self.session_.call(
                receiver,
                name,
                [self._argument(arg) for arg in args],
                {k: self._argument(v) for k, v in kwargs.items()},
            )
        return _shown(result)

    def _argument(self, value: Any) -> Any:
        sabir = getattr(value, "__dict__", {}).get("sabir")
        return self._build(value) if sabir is None else sabir

    @property
    def root(self) -> Any:
        return None if self.loaded is None else _shown(self.loaded)


class _Receiver:
    def __init__(self, runner: Runner, receiver: Any) -> None:
        self._runner = runner
        self._receiver = receiver

    def __getattr__(self, name: str) -> Any:
        return lambda *args, **kwargs: self._runner.call(self._receiver, name, args, kwargs)


def _shown(value: Any) -> Any:
    """A value as the tests look at it: objects and classes have the members that they ask for."""
    from murano.dsl import dsl, dsl_types  # type: ignore[import-not-found]  # as above

    value = unwrap_object(value)
    if isinstance(value, MuranoClass):
        bases = (dsl_types.MuranoType, dsl_types.MuranoTypeReference)
        own = {
            "__init__": lambda _self: None,
            "__hash__": object.__hash__,
            "__eq__": object.__eq__,
            "type": None,
        }
        shown = type("Type", bases, own)()
        shown.__dict__.update(name=value.name)
        return shown
    if isinstance(value, MuranoObject):
        shown = type("Object", (dsl.MuranoObjectInterface,), {"__init__": lambda _self: None, **_OBJECT})()
        shown.__dict__["sabir"] = value
        return shown
    if isinstance(value, dict):
        return {_shown(key): _shown(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_shown(item) for item in value]
    return plain_result(value)


def _read(shown: Any, name: str) -> Any:
    return _shown(shown.__dict__["sabir"].properties.get(name))


_OBJECT = {
    "id": property(lambda shown: shown.__dict__["sabir"].id),
    "object_id": property(lambda shown: shown.__dict__["sabir"].id),
    "type": property(lambda shown: _shown(shown.__dict__["sabir"].cls)),
    "owner": property(lambda shown: _shown(shown.__dict__["sabir"].owner)),
    "get_property": lambda shown, name, *_context: _read(shown, name),
    "__getattr__": _read,
}


class _translated:  # noqa: N801  # used like a function
    """Failures of sabir as the exceptions that the tests expect."""

    def __enter__(self) -> None: ...

    def __exit__(self, _type: Any, error: BaseException | None, _trace: Any) -> None:
        if isinstance(error, MuranoError):
            raise _exception(error) from error


def _exception(error: MuranoError) -> BaseException:
    from murano.dsl import dsl_exception, exceptions
    from yaql.language import exceptions as yaql_exceptions  # type: ignore[import-not-found]  # as above

    for name in error.names:
        for module in (exceptions, yaql_exceptions):
            cls = getattr(module, name.rpartition(".")[2], None)
            if cls is not None:
                made = cls.__new__(cls)
                Exception.__init__(made, str(error))
                return made  # type: ignore[no-any-return]  # an exception class of the other project
    if isinstance(error, ThrownException):
        thrown: BaseException = dsl_exception.MuranoPlException(
            list(error.names), error.thrown_message, [], error.extra, None
        )
        return thrown
    return Exception(str(error))


def _library(functions: dict[str, Callable[..., Any]]) -> Library:
    library = Library()
    for name, function in functions.items():
        count = function.__code__.co_argcount

        def call(*args: Any, _function: Callable[..., Any] = function) -> Any:
            return _function(
                *(arg if isinstance(unwrap_object(arg), MuranoObject) else plain_result(arg) for arg in args)
            )

        library.function(name, *[ANY] * max(count, 1))(_with_arguments(call, count))
    return library


def _with_arguments(function: Callable[..., Any], count: int) -> Callable[..., Any]:
    if count == 0:
        return lambda: function()
    if count == 1:
        return lambda data: function(data)
    return lambda first, second: function(first, second)


def _package(folder: Path) -> MuranoPackage:
    package = MuranoPackage(Manifest(name="tests", format="1.0"), MemoryPackage({}))
    for file in sorted(folder.rglob("*.yaml")):
        if file.name != "manifest.yaml":
            read = read_class_file(
                compose(Source(str(file), file.read_text()), tags=frozenset({"!yaql"})), None
            )
            for node in read.classes:
                package.add(node)
    return package


class DslTestCase(testtools.TestCase):  # type: ignore[misc]  # untyped
    """Stands in for the base of the published tests."""

    def setUp(self) -> None:
        super().setUp()
        self._traces: list[Any] = []
        self._functions: dict[str, Callable[..., Any]] = {"trace": lambda data: self._traces.append(data)}
        self._config: dict[str, dict[str, Any]] = {}

    @property
    def traces(self) -> list[Any]:
        return self._traces

    @traces.deleter
    def traces(self) -> None:
        self._traces = []

    @property
    def package_loader(self) -> Any:
        return self

    def set_config_value(self, cls: Any, name: str, value: Any) -> None:
        self._config.setdefault(getattr(cls, "type_name", cls), {})[name] = value

    def load_package(self, *_names: Any) -> Any:
        """Where tests register classes that are written in Python; sabir has its own."""
        return types.SimpleNamespace(register_class=lambda *_args, **_named: None)

    load_class_package = load_package

    def register_function(self, function: Callable[..., Any], name: str) -> None:
        self._functions[name] = function

    def new_runner(self, model: Any) -> Runner:
        folder = Path(sys.modules[type(self).__module__].__file__ or "").parent / "meta"
        return Runner(model, folder, self._functions, self._config)

    def find_attribute(self, model: Any, id_: str, cls: str, name: str) -> Any:
        return next((entry[3] for entry in model["Attributes"] if tuple(entry[:3]) == (id_, cls, name)), None)


def _install() -> None:
    importlib.import_module(
        "murano.common.config"
    )  # declares options that modules read while they are imported
    foundation = f"{TESTS}.foundation"
    for name, members in (("test_case", {"DslTestCase": DslTestCase}), ("runner", {"Runner": Runner})):
        module = types.ModuleType(f"{foundation}.{name}")
        module.__dict__.update(members)
        sys.modules[f"{foundation}.{name}"] = module
        setattr(importlib.import_module(foundation), name, module)


def _modules(wanted: list[str]) -> Iterator[str]:
    package = importlib.import_module(TESTS)
    for info in pkgutil.iter_modules(package.__path__):
        if info.name.startswith("test_") and (not wanted or info.name in wanted):
            yield info.name


def _tests(suite: unittest.TestSuite) -> Iterator[unittest.TestCase]:
    for test in suite:
        if isinstance(test, unittest.TestSuite):
            yield from _tests(test)
        else:
            yield test


def _count(module: str) -> int:
    """The tests of a module that is not imported: it may need more of the engine than is there."""
    package = importlib.import_module(TESTS)
    file = Path(package.__path__[0]) / f"{module}.py"
    names = (node.name for node in ast.walk(ast.parse(file.read_text())) if isinstance(node, ast.FunctionDef))
    return sum(name.startswith("test") for name in names)


def _outcome(test: unittest.TestCase) -> str:
    """Why a test failed, in a line; nothing when it passed."""
    result = unittest.TestResult()
    test.run(result)
    problems = [*result.failures, *result.errors]
    return problems[0][1].strip().splitlines()[-1][:160] if problems else ""


def main(words: list[str]) -> int:
    _install()
    passed = failed = other = 0
    for name in _modules(words):
        if name in OTHERS:
            other += _count(name)
            print(f"other   {name}: {_count(name)} tests of {OTHERS[name]}")
            continue
        module = importlib.import_module(f"{TESTS}.{name}")
        for test in _tests(unittest.defaultTestLoader.loadTestsFromModule(module)):
            why = _outcome(test)
            passed += not why
            failed += bool(why)
            print(f"{'FAILED' if why else 'passed'}  {test.id().removeprefix(TESTS + '.')}  {why}".rstrip())
    print(f"{passed} passed, {failed} failed, {other} not of the language")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
