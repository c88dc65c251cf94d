"""The values of fields: literals, inputs, files of the package, and expressions over the other resources.

{eval: '::db::port'}       an Unfurl expression over the resources of this description
{get_input: NAME}          what the environment gives
{get_argument: NAME}       in an operation: what it is called with
{file: NAME}               the content of a file beside the description
{sensitive: VALUE}         never shown
{secret: NAME}             a secret that only a step gets to see: `secrets` of sabir.yaml says where it comes from

Values of resources: expressions, inputs, files.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import did_you_mean
from sabir.errors import SabirError
from sabir.expressions.query import QueryError, QuerySession, evaluate, read_from_graph, resources_of
from sabir.expressions.query.resource import QueryResource as QueryResource
from sabir.graph.graph import Graph
from sabir.graph.origin import AttributeRead, How, Origin
from sabir.graph.values import Sensitive, Value
from sabir.languages.language import EvaluationRequest
from sabir.languages.resources.syntax import resources_rule
from sabir.provenance import ReadTracker
from sabir.resources.secrets import (
    COMPOSED_HINT,
    composed_message,
    find_composed,
    reference_to,
    with_references,
)
from sabir.source.packages import LoadedPackage
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, plain_data
from sabir.text import Place, Source

NO_VALUE: Final = resources_rule(
    "E005",
    "an expression that gives no value",
    "The expression matches nothing. It sees the resources of this description; values of other parts come as inputs, "
    "or stand in sabir.yaml itself.",
    run=True,
)
NO_INPUT: Final = resources_rule(
    "E006",
    "an input that is not given",
    "Inputs come from the environment (inputs of the part) or from --input.",
    run=True,
)
NO_FILE: Final = resources_rule(
    "E007",
    "a file that is not there",
    "{file: NAME} takes the content of a file beside the description.",
    run=True,
)
COMPOSED_SECRET: Final = resources_rule(
    "E009",
    "secret inside a string",
    "A secret is read only when a step needs it, so no string can be computed from it. Use {secret: NAME} as the whole value of a field, "
    "or of an entry in one.",
    run=True,
)

_FORMS: Final = frozenset({"eval", "ref", "q", "concat", "join", "template", "if", "foreach"})


class PendingValueError(SabirError):
    """Raised for an expression without a value while other fields are not computed."""


def holds_expression(node: YamlNode) -> bool:
    """Return whether a value depends on other fields."""
    if _find_form(node) in _FORMS or _is_template(node):
        return True
    if isinstance(node, YamlMapping):
        return any(map(holds_expression, node.values()))
    return isinstance(node, YamlSequence) and any(map(holds_expression, node.items))


def _find_form(node: YamlNode) -> str | None:
    if isinstance(node, YamlMapping) and len(node.entries):
        key = node.entries[0].key
        if (
            isinstance(key, YamlScalar)
            and isinstance(key.value, str)
            and (len(node.entries) == 1 or key.value in ("eval", "ref", "q"))
        ):
            return key.value
    return None


def _is_template(node: YamlNode) -> bool:
    return (
        isinstance(node, YamlScalar)
        and isinstance(node.value, str)
        and "{{" in node.text
        and "eval" in node.text
    )


class FieldValues(Struct, frozen=True, eq=False, dict=True):
    """Computes values for one evaluation."""

    package: LoadedPackage
    request: EvaluationRequest
    source: Source
    arguments: Mapping[str, Value] | None = None
    """Those of a call; None where nothing is called."""
    findings: list[Finding] = []

    def of_call(self, arguments: Mapping[str, Value]) -> FieldValues:
        """Return the same for the fields of an operation that is called."""
        return FieldValues(self.package, self.request, self.source, arguments)

    def value(self, node: YamlNode, graph: Graph | None) -> tuple[Value, Origin]:
        """Return the value and its origin. Without a graph expressions are pending."""
        reads: list[AttributeRead | Origin] = []
        value = self._value(node, graph, reads)
        how = How.EXPRESSION if reads else How.LITERAL
        return value, Origin(self._place(node), how, tuple(dict.fromkeys(reads)))

    def _value(self, node: YamlNode, graph: Graph | None, reads: list[AttributeRead | Origin]) -> Value:
        form = _find_form(node)
        if form in _FORMS or _is_template(node):
            return self._expression(node, graph, reads)
        if isinstance(node, YamlMapping):
            inner = next(iter(node.values()), None)
            if form == "get_input" and inner is not None:
                return self._input(inner, reads)
            if form == "get_argument" and inner is not None and self.arguments is not None:
                return self._argument(inner, self.arguments)
            if form == "file" and inner is not None:
                return self._file(inner)
            if form == "secret" and isinstance(inner, YamlScalar):
                return reference_to(inner.text)
            if form == "sensitive" and inner is not None:
                return Sensitive(self._value(inner, graph, reads))
            return {
                key.text if isinstance(key, YamlScalar) else "?": self._value(value, graph, reads)
                for key, value in node.items()
            }
        if isinstance(node, YamlSequence):
            return [self._value(item, graph, reads) for item in node.items]
        return node.value

    def _expression(self, node: YamlNode, graph: Graph | None, reads: list[AttributeRead | Origin]) -> Value:
        if graph is None:
            raise PendingValueError
        session = QuerySession(work=self.request.session)
        root = resources_of(graph, session)
        computing = session.computing = ReadTracker()
        expression = with_references(plain_data(node))
        try:
            result = evaluate(expression, root)
        except QueryError as error:
            self.findings.append(error.with_location(self._place(node)).finding)
            return None
        if not result.values:
            raise PendingValueError
        if isinstance(result.value, QueryResource):
            self._find(
                node, NO_VALUE, "the expression gives a resource, not a value", "add the field: …::NAME"
            )
            return None
        value: Value = result.value
        read = [
            (instance, key)
            for instance, key in read_from_graph(computing.reads)
            if key in instance.attributes
        ]
        secret = find_composed(expression, value, (instance.attributes[key] for instance, key in read))
        if secret is not None:
            self._find(node, COMPOSED_SECRET, composed_message(secret), COMPOSED_HINT)
            return None
        reads += (AttributeRead(instance.id, key) for instance, key in read)
        return value

    def report_no_value(self, node: YamlNode) -> None:
        """Report an expression that never got a value."""
        self._find(node, NO_VALUE, "the expression gives nothing", None)

    def _input(self, node: YamlNode, reads: list[AttributeRead | Origin]) -> Value:
        name = str(plain_data(node))
        inputs: Mapping[str, Value] = self.request.inputs
        if name in inputs:
            if name in self.request.input_origins:
                reads.append(self.request.input_origins[name])
            return inputs[name]
        self._find(node, NO_INPUT, f"there is no input {name!r}", did_you_mean(name, inputs))
        return None

    def _argument(self, node: YamlNode, arguments: Mapping[str, Value]) -> Value:
        name = str(plain_data(node))
        if name in arguments:
            return arguments[name]
        self._find(node, NO_INPUT, f"the operation has no argument {name!r}", did_you_mean(name, arguments))
        return None

    def _file(self, node: YamlNode) -> Value:
        name = str(plain_data(node))
        file = self.package.get_file(name) or self._folder.get_file(name)
        if file is None or (file.defect is not None and not file.raw()):
            self._find(
                node,
                NO_FILE,
                f"there is no file {name!r} beside the description",
                did_you_mean(name, self._names),
            )
            return None
        data = file.raw()
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError:
            return data

    @cached_property
    def _folder(self) -> LoadedPackage:
        """Return the directory of a file that was named alone, whose package has no other files."""
        if not self.package.single_file or self.package.path is None:
            return self.package
        from sabir.source.packages import load_package

        return load_package(self.package.path.parent)

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self._folder.list())

    def _place(self, node: YamlNode) -> Place:
        return Place(self.source, node.span)

    def _find(self, node: YamlNode, rule: Rule, message: str, hint: str | None) -> None:
        self.findings.append(rule.at(self._place(node), message, hint=hint))
