"""Packages of the format Heat.HOT: a class and a form generated from `template.yaml`.

The class is generated as MuranoPL text and read like any other, so it deploys like any other: as a separate
stack, with the parameters of the template as one property and its outputs as another. The shape of the
template is checked first, so that the generator can rely on it.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from msgspec import Struct

from sabir.diagnostics.finding import Finding
from sabir.languages.muranopl.examples import package_rule
from sabir.source.packages import LoadedPackage
from sabir.source.yaml import plain_data
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence
from sabir.text import Place, Source

TYPES: Final = ("string", "comma_delimited_list", "json", "number", "boolean")
"""Those of parameters."""

Defect = tuple[YamlNode, str]


def shape_defects(root: YamlMapping) -> Iterator[Defect]:
    """Yield each node of the wrong type, with the expected type."""
    for name, parameter in _mapping_entries(root.get("parameters")):
        yield from _parameter_defects(name, parameter)
    yield from _name_defects(root.get("parameters"), "parameters")
    yield from _name_defects(root.get("outputs"), "outputs")
    yield from _group_defects(root.get("parameter_groups"))


def _is_nothing(node: YamlNode | None) -> bool:
    return node is None or (isinstance(node, YamlScalar) and node.value is None)


def _is_text(node: YamlNode) -> bool:
    return isinstance(node, YamlScalar) and isinstance(node.value, str)


def _mapping_entries(node: YamlNode | None) -> Iterator[tuple[YamlNode, YamlNode]]:
    if isinstance(node, YamlMapping):
        yield from node.items()


def _name_defects(node: YamlNode | None, key: str) -> Iterator[Defect]:
    if node is None or _is_nothing(node):
        return
    if not isinstance(node, YamlMapping):
        yield node, f"{key} are a mapping of names"
        return
    yield from (
        (entry.key, f"the names of {key} are texts") for entry in node.entries if not _is_text(entry.key)
    )


def _parameter_defects(name: YamlNode, parameter: YamlNode) -> Iterator[Defect]:
    type_ = parameter.get("type") if isinstance(parameter, YamlMapping) else None
    if not isinstance(type_, YamlScalar) or type_.value not in TYPES:
        yield type_ or name, f"a parameter needs one of the types {', '.join(TYPES)}"
        return
    assert isinstance(parameter, YamlMapping)
    constraints = parameter.get("constraints")
    if isinstance(constraints, YamlSequence):
        for constraint in constraints:
            yield from _constraint_defects(constraint)
    elif constraints is not None and not _is_nothing(constraints):
        yield constraints, "constraints are a list"


def _constraint_defects(constraint: YamlNode) -> Iterator[Defect]:
    if not isinstance(constraint, YamlMapping):
        yield constraint, "a constraint is a mapping"
        return
    values = constraint.get("allowed_values")
    if values is not None and not isinstance(values, YamlSequence):
        yield values, "allowed_values are a list"
    for key in ("length", "range"):
        bounds = constraint.get(key)
        if bounds is not None:
            yield from _find_bound_defects(key, bounds)


def _find_bound_defects(key: str, bounds: YamlNode) -> Iterator[Defect]:
    if not isinstance(bounds, YamlMapping):
        yield bounds, f"{key} is a mapping with min, max or both"
        return
    for bound in ("min", "max"):
        number = bounds.get(bound)
        if number is not None and not _is_number(number):
            yield number, f"{bound} of {key} is a number"


def _is_number(node: YamlNode) -> bool:
    if not isinstance(node, YamlScalar):
        return False
    value = node.value
    if isinstance(value, float):
        return math.isfinite(value)
    return (isinstance(value, int) and not isinstance(value, bool)) or (
        isinstance(value, str) and value.isdecimal() and len(value) < 20
    )


def _group_defects(groups: YamlNode | None) -> Iterator[Defect]:
    if groups is None or _is_nothing(groups):
        return
    if not isinstance(groups, YamlSequence):
        yield groups, "parameter_groups are a list"
        return
    for group in groups:
        if not isinstance(group, YamlMapping):
            yield group, "a group of parameters is a mapping"
            continue
        names = group.get("parameters")
        if names is None or _is_nothing(names):
            continue
        if not isinstance(names, YamlSequence):
            yield names, "the parameters of a group are a list of names"
            continue
        yield from ((name, "the parameters of a group are names") for name in names if not _is_text(name))


FORMAT: Final = "Heat.HOT"
TEMPLATE: Final = "template.yaml"
_FILES: Final = "Resources/HotFiles/"
_ENVIRONMENTS: Final = "Resources/HotEnvironments/"
_CONTRACTS: Final = {
    "string": "$.string()",
    "comma_delimited_list": "$.string()",
    "json": "$.string()",
    "number": "$.int()",
    "boolean": "$.bool()",
}
_FIELDS: Final = {"number": "integer", "boolean": "boolean"}

NO_TEMPLATE: Final = package_rule(
    "PKG:E122",
    "a Heat template that no class can be made of",
    "A package of the format Heat.HOT is a template with `resources`, and with `parameters` of the types that Heat knows.",
)

_CLASS: Final = """\
Name: {name}
Extends: io.murano.Application
Properties:
  name: {{Contract: $.string().notNull()}}
  hotEnvironment: {{Contract: $.string()}}
  generatedHeatStackName: {{Contract: $.string(), Usage: Out}}
  templateParameters: {{Contract: {{{parameters}}}, Default: {{}}}}
  templateOutputs: {{Contract: {{{outputs}}}, Default: {{}}, Usage: Out}}
Methods:
  deploy:
    Body:
      - $environment: $.find('io.murano.Environment').require()
      - $reporter: new('io.murano.system.StatusReporter', environment => $environment)
      - If: $.getAttr(generatedHeatStackName) = null
        Then:
          - $.setAttr(generatedHeatStackName, format('{{0}}_{{1}}', randomName(), id($environment)))
      - $stack: new('io.murano.system.HeatStack', $environment, name => $.getAttr(generatedHeatStackName))
      - $reporter.report($this, 'Application deployment has started')
      - $resources: new('io.murano.system.Resources')
      - $stack.setTemplate($resources.yaml('{template}'))
      - $stack.setParameters($.templateParameters)
      - $files: {{{files}}}
      - $stack.setFiles($files)
      - If: bool($.hotEnvironment)
        Then:
          - $stack.setHotEnvironment($resources.string('HotEnvironments/' + $.hotEnvironment))
      - $reporter.report($this, 'Stack creation has started')
      - Try:
          - $stack.push()
        Catch:
          As: e
          Do:
            - $reporter.report_error($this, $e.message)
            - Rethrow:
        Else:
          - $.templateOutputs: $stack.output()
          - $reporter.report($this, 'Stack was successfully created')
          - $reporter.report($this, 'Application deployment has finished')
  destroy:
    Body:
      - $environment: $.find('io.murano.Environment').require()
      - $stack: new('io.murano.system.HeatStack', $environment, name => $.getAttr(generatedHeatStackName))
      - $stack.delete()
"""


class HeatTemplate(Struct, frozen=True, eq=False):
    """The parameters and outputs of a template, and the files that belong to it."""

    data: Mapping[str, Any]
    files: tuple[str, ...]
    has_environments: bool
    """Where there are environments, these give parameters, and contracts would put null in their place."""

    @property
    def parameters(self) -> Mapping[str, Mapping[str, Any]]:
        return self.data.get("parameters") or {}

    def class_source(self, name: str) -> Source:
        """Return the text of the class, whose findings refer to the template."""
        parameters = {} if self.has_environments else self.parameters
        contracts = (
            f"{_quote_text(key)}: !yaql {_quote_text(_parameter_contract(value))}"
            for key, value in sorted(parameters.items())
        )
        outputs = (f"{_quote_text(key)}: $.string()" for key in sorted(self.data.get("outputs") or {}))
        files = (f"{_quote_text(file)}: !yaql {_quote_text(_file_expression(file))}" for file in self.files)
        text = _CLASS.format(
            name=name,
            template=TEMPLATE,
            parameters=", ".join(contracts),
            outputs=", ".join(outputs),
            files=", ".join(files),
        )
        return Source(f"<class of {TEMPLATE}>", text)

    def form_source(self, name: str, title: str) -> Source:
        """Return a UI definition that asks for the parameters, group by group."""
        groups = [*self._groups()]
        first = (
            {"name": "title", "type": "string", "required": False, "hidden": True, "description": title},
            {"name": "name", "type": "string", "label": "Application Name", "required": True},
        )
        fields = [first, *([_form_field(key, self.parameters[key]) for key in group] for group in groups)]
        places = {key: f"$.group{number}.{key}" for number, group in enumerate(groups, 1) for key in group}
        values = ", ".join(
            f"{_quote_text(key)}: !yaql {_quote_text(place)}" for key, place in sorted(places.items())
        )
        forms = "".join(
            f"  - group{number}: {{fields: [{', '.join(map(_write_flow, group))}]}}\n"
            for number, group in enumerate(fields)
        )
        text = (
            f"Version: 2\nApplication:\n  '?': {{type: {_quote_text(name)}, package: {_quote_text(name)}, classVersion: '0.0.0'}}\n"
            f"  name: $.group0.name\n  templateParameters: {{{values}}}\nForms:\n{forms}"
        )
        return Source(f"<form of {TEMPLATE}>", text)

    def _groups(self) -> Iterator[list[str]]:
        """Return the names of the parameters by the groups of the template; ungrouped ones come last."""
        used: set[str] = set()
        for group in self.data.get("parameter_groups") or ():
            names = [name for name in group.get("parameters") or () if self.parameters.get(name)]
            used.update(names)
            yield names
        rest = [name for name in self.parameters if name not in used]
        if rest:
            yield rest


def read_template(package: LoadedPackage) -> HeatTemplate | Finding:
    """Return the template of a package, or its defects."""
    file = package.get_file(TEMPLATE)
    if file is None:
        return NO_TEMPLATE.about_file(TEMPLATE, f"a package of the format {FORMAT} needs a file {TEMPLATE}")
    if file.yaml.broken:
        return file.yaml.findings[0]
    root = file.yaml.documents[0] if file.yaml.documents else None
    if not isinstance(root, YamlMapping) or not isinstance(root.get("resources"), YamlMapping):
        place = Place(file.source, root.span) if root is not None else None
        message = "a Heat template is a mapping with `resources`"
        return NO_TEMPLATE.at(place, message) if place else NO_TEMPLATE.about_file(file.source, message)
    for node, message in shape_defects(root):
        return NO_TEMPLATE.at(Place(file.source, node.span), message)
    data = plain_data(root)
    assert isinstance(data, Mapping)
    files = tuple(name.removeprefix(_FILES) for name in package.list(_FILES.rstrip("/")))
    named = {str(key): value for key, value in data.items()}
    return HeatTemplate(named, files, any(True for _ in package.list(_ENVIRONMENTS.rstrip("/"))))


def _quote_text(text: object) -> str:
    """Return a string in double quotes, valid in YAML and JSON."""
    return json.dumps(str(text))


def _write_flow(value: Any) -> str:
    """Return a value as YAML on one line; a string that is an expression has its tag."""
    if isinstance(value, Mapping):
        return (
            "{" + ", ".join(f"{_quote_text(key)}: {_write_flow(item)}" for key, item in value.items()) + "}"
        )
    if isinstance(value, list):
        return "[" + ", ".join(map(_write_flow, value)) + "]"
    return value.text if isinstance(value, _TaggedText) else json.dumps(value)


class _TaggedText(Struct, frozen=True):
    text: str


def _file_expression(file: str) -> str:
    return f"$resources.string({_write_literal('HotFiles/' + file)})"


def _write_literal(value: Any) -> str:
    """Return a value as a YAQL literal."""
    if isinstance(value, str):
        escaped = value.replace("\\", "\\\\").replace("'", "\\'")
        return f"'{escaped}'"
    return json.dumps(value)


def _parameter_contract(parameter: Mapping[str, Any]) -> str:
    checks = filter(None, map(_constraint_condition, parameter.get("constraints") or ()))
    return _CONTRACTS[parameter["type"]] + "".join(f".check({check})" for check in checks)


def _constraint_condition(constraint: Mapping[str, Any]) -> str | None:
    """Return the condition on `$` of a constraint; custom constraints can only be checked by the cloud."""
    if "allowed_values" in constraint:
        return f"$ in list({', '.join(map(_write_literal, constraint['allowed_values']))})"
    if "length" in constraint:
        return _range_condition("len($)", constraint["length"], "$ != null")
    if "range" in constraint:
        return _range_condition("$", constraint["range"])
    if "allowed_pattern" in constraint:
        return f"$ != null and $.matches({_write_literal(str(constraint['allowed_pattern']))})"
    return None


def _range_condition(subject: str, bounds: Mapping[str, Any], *first: str) -> str | None:
    limits = [
        f"{subject} {sign} {int(bounds[key])}"
        for key, sign in (("min", ">="), ("max", "<="))
        if key in bounds
    ]
    return " and ".join((*first, *limits)) if limits else None


def _form_field(name: str, parameter: Mapping[str, Any]) -> dict[str, Any]:
    field: dict[str, Any] = {
        "name": name,
        "type": _FIELDS.get(parameter["type"], "string"),
        "label": str(parameter.get("label") or name.title().replace("_", " ")),
        "required": "default" not in parameter,
    }
    for key, source in (("description", "description"), ("initial", "default")):
        if source in parameter:
            field[key] = parameter[source]
    validators: list[dict[str, Any]] = []
    for constraint in parameter.get("constraints") or ():
        _apply_constraint(field, validators, constraint)
    return {**field, "validators": validators} if validators else field


def _apply_constraint(
    field: dict[str, Any], validators: list[dict[str, Any]], constraint: Mapping[str, Any]
) -> None:
    said = {"message": constraint["description"]} if "description" in constraint else {}
    if "length" in constraint:
        bounds = constraint["length"]
        field.update({f"{key}Length": int(bounds[key]) for key in ("min", "max") if key in bounds})
    elif "allowed_pattern" in constraint:
        validators.append({"expr": {"regexpValidator": str(constraint["allowed_pattern"])}, **said})
    elif (condition := _constraint_condition(constraint)) is not None:
        validators.append({"expr": _TaggedText(f"!yaql {_quote_text(condition)}"), **said})
