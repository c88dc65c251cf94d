"""Unfurl's own tests of expressions, run on sabir: modules of Unfurl's names that lead to our engine.

    SABIR_TEST_UNFURL=/path/to/unfurl-1.2.0 python -m tests.corpora.unfurl_eval

The tests are foreign material and no part of the project. What is not about expressions (pickling, the YAML writer, ids of changes) is not
stood in for: those assertions fail, and docs/reference/expressions.md names them.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Mapping
from importlib import import_module
from pathlib import Path
from tempfile import mkdtemp
from types import ModuleType
from typing import Any, Final

import yaml

from sabir.expressions.query import (
    EnsembleProject,
    QueryError,
    QueryResource,
    QuerySession,
    evaluate,
    plain_value,
    redact_value,
)
from sabir.expressions.query import map_value as query_map_value
from sabir.expressions.query.context import QueryContext
from sabir.expressions.query.functions import registry
from sabir.expressions.query.functions.call import FunctionCall
from sabir.expressions.query.functions.environment import substitute_variables
from sabir.expressions.query.functions.registry import Extensions, Function
from sabir.expressions.query.values import MISSING, External
from sabir.graph.values import Sensitive, reveal_value
from sabir.session import Session as WorkSession
from sabir.session import Trust
from sabir.text import REDACTED
from tests.corpora.counted_asserts import Counter, run_module
from tests.expressions.query.plain import PlainResource

__all__ = ["DECIDED", "run", "suite_folder"]

_VARIABLE: Final = "SABIR_TEST_UNFURL"

DECIDED: Final[Mapping[str, tuple[int, ...]]] = {
    "the map of another library": (27,),
    "the hidden state of Unfurl's context": (153,),
    "the text of an instance is its name, not the name of a Python class": (211, 213),
    "no mode of functions apart: what needs leave is refused without it, and a template that fails is an error": (
        434,
        436,
        441,
        442,
    ),
    "lists that change in place": (500, 505, 507, 509),
    "a template that fails is an error, never its own text": (557, 561, 562),
    "ids of changes": (565, 566, 567, 568),
    "pickled instances, and a file that the source distribution lacks": (597, 614),
    "results that know their external": (636, 645),
    "the variables of the evaluating process stay as they are": (693,),
    "the analysis of expressions as Python objects": (867, 870, 873),
}
"""What does not hold here, by lines of the test_eval.py of Unfurl 1.2.0, and why."""


def suite_folder() -> Path | None:
    root = os.environ.get(_VARIABLE)
    path = None if root is None else Path(root) / "tests" / "test_eval.py"
    return path if path is not None and path.is_file() else None


class _Attributes(Mapping[str, Any]):
    def __init__(self, resource: NodeInstance) -> None:
        self.resource = resource

    def __getitem__(self, key: str) -> Any:
        return _seen(plain_value(self.resource.get(key)))

    def __iter__(self) -> Iterator[str]:
        return iter(self.resource.keys())

    def __len__(self) -> int:
        return len(self.resource.keys())


class NodeInstance(PlainResource):
    def __init__(self, name: str, attributes: Any = None, parent: Any = None) -> None:
        folder = Path(mkdtemp())
        trust = Trust(python=True, env=True, write_files=True, outside=True)
        work = WorkSession(environment=os.environ, trust=trust)
        session = QuerySession(project=EnsembleProject(directory=folder, root=folder), work=work)
        super().__init__(name, attributes, parent=parent, session=None if parent else session)
        self.attributes = _Attributes(self)

    def __str__(self) -> str:
        return f"NodeInstance('{self.name}')"


class RefContext:
    def __init__(self, resource: Any, vars: Any = None, **_: Any) -> None:  # noqa: A002  Unfurl's word
        self.currentResource = resource
        self.vars = {name: _raw(value) for name, value in (vars or {}).items()}

    def copy(self, vars: Any = None, **_: Any) -> RefContext:  # noqa: A002
        return RefContext(self.currentResource, {**self.vars, **(vars or {})})


class sensitive_str(str):  # noqa: N801  Unfurl's name
    pass


class sensitive_list(list[Any]):  # noqa: N801
    pass


def _raw(value: Any) -> Any:
    """Values of Unfurl's classes as ours."""
    if isinstance(value, sensitive_str | sensitive_list):
        return Sensitive(value)
    if isinstance(value, _Attributes):
        return value.resource
    if isinstance(value, Mapping):
        return {name: _raw(item) for name, item in value.items()}
    return [_raw(item) for item in value] if isinstance(value, list) else value


def _seen(value: Any) -> Any:
    """Ours as Unfurl's tests look for them."""
    if isinstance(value, Sensitive):
        inner = reveal_value(value)
        if isinstance(inner, str):
            return sensitive_str(inner)
        return sensitive_list(inner) if isinstance(inner, list) else inner
    if isinstance(value, Mapping):
        return {name: _seen(item) for name, item in value.items()}
    return [_seen(item) for item in value] if isinstance(value, list) else value


def _context(at: Any) -> RefContext:
    return at if isinstance(at, RefContext) else RefContext(at)


def map_value(value: Any, at: Any) -> Any:
    context = _context(at)
    return _seen(query_map_value(_raw(value), context.currentResource, context.vars))


class Ref:
    def __init__(self, expression: Any) -> None:
        self.source = str(expression)
        self.expression = expression

    @staticmethod
    def is_ref(value: Any) -> bool:
        from sabir.expressions.query.forms import is_expression

        return is_expression(value)

    def _result(self, context: RefContext) -> Any:
        return evaluate(self.expression, context.currentResource, context.vars)

    def resolve(self, context: RefContext, **_: Any) -> Any:
        return [_seen(value) for value in self._result(context).values]

    def resolve_one(self, context: RefContext) -> Any:
        return _seen(self._result(context).value)


class ExternalValue(External):
    """Something outside, as Unfurl's plug-ins make it."""

    def __init__(self, _kind: str, key: str) -> None:
        self.key = key

    def get(self, key: str) -> object:
        return MISSING

    def result(self) -> object:
        return self.key


def set_eval_func(name: str, function: Any, *_: Any) -> None:
    def run(call: FunctionCall, context: QueryContext) -> Any:
        return function(call.argument, context)

    extensions = Extensions({name: Function(name, run)}, {})
    registry.load_plugins = lambda: extensions


class _Results:
    @staticmethod
    def _map_value(value: Any, context: Any) -> Any:
        return map_value(value, context)


def results_map(value: Any, _context: Any) -> Any:
    class Mapped(dict[str, Any]):
        _attributes = value

    return Mapped(value)


results_map._map_value = map_value  # type: ignore[attr-defined]  # as a method of Unfurl's class


def apply_template(text: str, context: RefContext) -> Any:
    return map_value(text, context)


def serialize_value(value: Any, redact: bool = False) -> Any:
    if isinstance(value, QueryResource):
        return {"ref": f"::{value.name}"}
    if isinstance(value, sensitive_str):
        return REDACTED
    if isinstance(value, Mapping):
        return {name: serialize_value(item) for name, item in value.items()}
    return [serialize_value(item) for item in value] if isinstance(value, list) else redact_value(value)


def topology_map(resource: NodeInstance) -> Any:
    return {
        name: found.attributes
        for name, found in resource.root.all().items()
        if isinstance(found, NodeInstance)
    }


class _Yaml:
    def load(self, stream: Any) -> Any:
        return yaml.safe_load(stream)

    def dump(self, value: Any, out: Any) -> None:
        yaml.safe_dump(value, out, sort_keys=False)


def substitute_env(text: str, variables: Mapping[str, Any]) -> str:
    return substitute_variables(
        text,
        lambda name: ("" if variables[name] is None else str(variables[name])) if name in variables else None,
    )


class PortSpec:
    @staticmethod
    def make(text: str) -> Any:
        return query_map_value({"eval": {"portspec": text}}, NodeInstance("ports"))


def to_dns_label(text: str, **keywords: Any) -> Any:
    return query_map_value({"eval": {"to_dns_label": text, **keywords}}, NodeInstance("label"))


class _Absent:
    """What is not about expressions."""

    def __init__(self, *_: Any, **__: Any) -> None:
        raise NotImplementedError("no part of sabir")

    is_change_id = staticmethod(lambda _value: (_ for _ in ()).throw(NotImplementedError("no part of sabir")))


_MODULES: Final[Mapping[str, Mapping[str, Any]]] = {
    "unfurl": {},
    "unfurl.result": {"ResultsList": _Absent, "ResultsMap": results_map, "serialize_value": serialize_value, "ChangeRecord": _Absent, "Result": _Results},
    "unfurl.eval": {"Ref": Ref, "UnfurlEvalError": QueryError, "analyze_expr": _Absent, "map_value": map_value, "RefContext": RefContext, "set_eval_func": set_eval_func, "ExternalValue": ExternalValue, "SafeRefContext": RefContext},
    "unfurl.support": {"apply_template": apply_template, "TopologyMap": topology_map, "_sandboxed_template": lambda text, context, *_: apply_template(text, context), "AttributeManager": _Absent},
    "unfurl.tosca_plugins": {},
    "unfurl.tosca_plugins.functions": {"to_dns_label": to_dns_label},
    "unfurl.util": {"UnfurlError": QueryError, "sensitive_str": sensitive_str, "substitute_env": substitute_env, "sensitive_list": sensitive_list},
    "unfurl.runtime": {"NodeInstance": NodeInstance},
    "unfurl.yamlloader": {"make_yaml": lambda *_: _Yaml(), "sensitive_bytes": bytes, "make_vault_lib": _Absent},
    "toscaparser": {},
    "toscaparser.elements": {},
    "toscaparser.elements.portspectype": {"PortSpec": PortSpec},
    "ruamel": {},
    "ruamel.yaml": {},
    "ruamel.yaml.comments": {"CommentedMap": dict},
}  # fmt: skip


def run(path: Path) -> Counter:
    """The counted assertions; modules of these names that are there are put back afterwards."""
    before = {name: sys.modules.get(name) for name in _MODULES}
    for name, members in _MODULES.items():
        module = ModuleType(name)
        vars(module).update(members)
        sys.modules[name] = module
    for home in registry.MODULES:  # none is to be imported while another `load_plugins` stands there
        import_module(f"sabir.expressions.query.functions.{home}")
    plugins = registry.load_plugins
    try:
        return run_module(path)
    finally:
        registry.load_plugins = plugins
        for name, earlier in before.items():
            if earlier is None:
                del sys.modules[name]
            else:
                sys.modules[name] = earlier


def main() -> int:
    path = suite_folder()
    if path is None:
        print(f"{_VARIABLE} names no folder with tests/test_eval.py", file=sys.stderr)
        return 2
    counter = run(path)
    for line, reason in counter.failures:
        print(f"{line}: {reason}")
    print(counter.summary)
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
