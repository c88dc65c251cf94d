"""The codes of TOSCA with their documentation; the examples are run by the tests."""

from __future__ import annotations

from typing import Final, Literal

from sabir.diagnostics.rules import Rule

__all__ = ["CODES", "template"]

_HEAD: Final = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


def template(body: str) -> dict[str, str]:
    return {"template.yaml": _HEAD + body}


def _nodes(body: str, *, types: str = "") -> dict[str, str]:
    """A template with these node templates (indented by four)."""
    return template(f"{types}topology_template:\n  node_templates:\n{body}")


def _code(
    number: str,
    title: str,
    why: str,
    examples: tuple[dict[str, str], dict[str, str]],
    *,
    when: Literal["check", "evaluate"] = "check",
) -> Rule:
    bad, good = examples
    return Rule(code=f"TOSCA:{number}", title=title, why=why, bad=bad, good=good, language="tosca", when=when)


_APP = (
    "node_types:\n  App:\n    derived_from: tosca.nodes.Root\n    properties:\n      size: {type: integer}\n"
)
_PORT = (
    "node_types:\n  App:\n    derived_from: tosca.nodes.Root\n    properties:\n"
    "      port: {type: integer, constraints: [{in_range: [1, 65535]}]}\n"
)
_ONE = "    one: {type: tosca.nodes.Root}\n"


def _two(first: str, second: str) -> tuple[dict[str, str], dict[str, str]]:
    return _nodes(first), _nodes(second)


CODES: Final = (
    _code(
        "E001",
        "unknown dialect of TOSCA",
        "The version says how a file is to be read; one that is not known cannot be read at all. Known are "
        "tosca_simple_yaml_1_0 to 1_3, the NFV profile, tosca_2_0 and Unfurl's own.",
        ({"template.yaml": "tosca_definitions_version: tosca_simple_yaml_9_9\n"}, template("")),
    ),
    _code(
        "E002",
        "something has the wrong shape",
        "A section that should be a map is a list, a name is no text, a required key is missing: such a part is left out, and "
        "what it would have said is lost.",
        (template("topology_template: [a, b]\n"), _nodes(_ONE)),
    ),
    _code(
        "W003",
        "a key that TOSCA does not know here",
        "Orchestrators ignore or refuse it. Most often it is misspelt or stands one level too high or too low.",
        _two(
            "    one: {type: tosca.nodes.Root, propertis: {}}\n",
            "    one: {type: tosca.nodes.Root, properties: {}}\n",
        ),
    ),
    _code(
        "E004",
        "an import that is not there",
        "The file is not in the package, or the path leads out of it. What it defines is missing, so further checks of unknown "
        "names are left out until it can be read.",
        (
            template("imports: [types.yaml]\n"),
            {"template.yaml": _HEAD + "imports: [types.yaml]\n", "types.yaml": _HEAD},
        ),
    ),
    _code(
        "E005",
        "an import from the network",
        "sabir does not fetch what a template names while it reads it: put a copy beside the template.",
        (
            template("imports: ['https://example.com/types.yaml']\n"),
            {"template.yaml": _HEAD + "imports: [types.yaml]\n", "types.yaml": _HEAD},
        ),
    ),
    _code(
        "E006",
        "unknown type",
        "Neither the template, its imports nor the normative types define a type of this name.",
        _two("    one: {type: tosca.nodes.Compuet}\n", "    one: {type: tosca.nodes.Compute}\n"),
    ),
    _code(
        "E007",
        "a type derives from itself",
        "Following derived_from leads back to the type, so what it inherits has no end.",
        (
            template("node_types:\n  A: {derived_from: B}\n  B: {derived_from: A}\n"),
            template("node_types:\n  A: {derived_from: B}\n  B: {derived_from: tosca.nodes.Root}\n"),
        ),
    ),
    _code(
        "W008",
        "a type is defined twice",
        "Two files define a type of the same name; the nearer one counts, which may not be the one you meant. Give one of the "
        "imports a namespace_prefix, or rename the type.",
        (
            {
                "template.yaml": _HEAD
                + "imports: [types.yaml]\nnode_types:\n  A: {derived_from: tosca.nodes.Root}\n",
                "types.yaml": _HEAD + "node_types:\n  A: {derived_from: tosca.nodes.Compute}\n",
            },
            {
                "template.yaml": _HEAD
                + "imports: [types.yaml]\nnode_types:\n  A: {derived_from: tosca.nodes.Root}\n",
                "types.yaml": _HEAD + "node_types:\n  B: {derived_from: tosca.nodes.Compute}\n",
            },
        ),
    ),
    _code(
        "E010",
        "a property that the type does not have",
        "The value would never be read. Correct the name, or define the property in the type.",
        (
            _nodes("    one: {type: App, properties: {size: 1, colour: red}}\n", types=_APP),
            _nodes("    one: {type: App, properties: {size: 1}}\n", types=_APP),
        ),
    ),
    _code(
        "E011",
        "a required property has no value",
        "The type requires it and gives no default, so a deployment would fail for want of it.",
        (
            _nodes("    one: {type: App}\n", types=_APP),
            _nodes("    one: {type: App, properties: {size: 1}}\n", types=_APP),
        ),
    ),
    _code(
        "E012",
        "a value of the wrong type",
        "The value does not fit the type of its property, attribute or input.",
        (
            _nodes("    one: {type: App, properties: {size: large}}\n", types=_APP),
            _nodes("    one: {type: App, properties: {size: 3}}\n", types=_APP),
        ),
    ),
    _code(
        "E013",
        "a value that a constraint forbids",
        "The definition limits what the value may be, and this one lies outside.",
        (
            _nodes("    one: {type: App, properties: {port: 70000}}\n", types=_PORT),
            _nodes("    one: {type: App, properties: {port: 7000}}\n", types=_PORT),
        ),
    ),
    _code(
        "E014",
        "a constraint that cannot be understood",
        "There is no such operator, or its argument has the wrong form; it would never be enforced.",
        (
            template("data_types:\n  Port: {derived_from: integer, constraints: [{in_rnage: [1, 2]}]}\n"),
            template("data_types:\n  Port: {derived_from: integer, constraints: [{in_range: [1, 2]}]}\n"),
        ),
    ),
    _code(
        "E015",
        "a capability that the type does not have",
        "The values assigned to it would never be read.",
        _two(
            "    vm: {type: tosca.nodes.Compute, capabilities: {hots: {properties: {num_cpus: 2}}}}\n",
            "    vm: {type: tosca.nodes.Compute, capabilities: {host: {properties: {num_cpus: 2}}}}\n",
        ),
    ),
    _code(
        "E016",
        "a requirement that the type does not have",
        "Only requirements that the node type defines can be met.",
        _two(
            _ONE + "    two: {type: tosca.nodes.Root, requirements: [{depends: one}]}\n",
            _ONE + "    two: {type: tosca.nodes.Root, requirements: [{dependency: one}]}\n",
        ),
    ),
    _code(
        "E017",
        "a requirement leads nowhere",
        "It names neither a node template nor a node type.",
        _two(
            _ONE + "    two: {type: tosca.nodes.Root, requirements: [{dependency: won}]}\n",
            _ONE + "    two: {type: tosca.nodes.Root, requirements: [{dependency: one}]}\n",
        ),
    ),
    _code(
        "E018",
        "the target lacks the capability",
        "A requirement asks for a capability of a type (or name) that the node it leads to does not offer.",
        _two(
            "    net: {type: tosca.nodes.network.Network}\n"
            "    web: {type: tosca.nodes.WebServer, requirements: [{host: net}]}\n",
            "    vm: {type: tosca.nodes.Compute}\n    web: {type: tosca.nodes.WebServer, requirements: [{host: vm}]}\n",
        ),
    ),
    _code(
        "W019",
        "a requirement is met too seldom or too often",
        "The type says how many times it must be met. Nothing in the template suits a requirement that is left out.",
        _two(
            "    web: {type: tosca.nodes.WebApplication}\n",
            "    server: {type: tosca.nodes.WebServer}\n    web: {type: tosca.nodes.WebApplication}\n",
        ),
    ),
    _code(
        "E020",
        "nodes host one another",
        "Following the hosts of a node leads back to it, so nothing could be created first.",
        _two(
            "    a: {type: tosca.nodes.DBMS, requirements: [{host: b}]}\n"
            "    b: {type: tosca.nodes.DBMS, requirements: [{host: a}]}\n",
            "    a: {type: tosca.nodes.DBMS, requirements: [{host: b}]}\n    b: {type: tosca.nodes.Compute}\n",
        ),
    ),
    _code(
        "E021",
        "an input that is not declared",
        "get_input, or the command line, names an input that the template does not have.",
        (
            template(
                "topology_template:\n  inputs: {zone: string}\n  outputs: {o: {value: {get_input: zon}}}\n"
            ),
            template(
                "topology_template:\n  inputs: {zone: string}\n  outputs: {o: {value: {get_input: zone}}}\n"
            ),
        ),
    ),
    _code(
        "E022",
        "a function names something that is not there",
        "get_property, get_attribute and get_artifact read from a node or relationship template, or from SELF, HOST, SOURCE or "
        "TARGET.",
        (
            template(
                f"topology_template:\n  node_templates:\n{_ONE}  outputs: {{o: {{value: {{get_property: [won, x]}}}}}}\n"
            ),
            template(
                f"topology_template:\n  node_templates:\n{_ONE}  outputs: {{o: {{value: {{get_attribute: [one, state]}}}}}}\n"
            ),
        ),
    ),
    _code(
        "W023",
        "an input that nothing uses",
        "Whoever gives it a value will wonder why nothing changes. Use it or remove it.",
        (
            template("topology_template:\n  inputs: {zone: {type: string, default: a}}\n"),
            template(
                "topology_template:\n  inputs: {zone: {type: string, default: a}}\n"
                "  outputs: {o: {value: {get_input: zone}}}\n"
            ),
        ),
    ),
    _code(
        "E024",
        "a substitution mapping that does not fit",
        "It maps a capability, requirement or property that the substituted type does not have, or maps it to something that the "
        "topology does not have.",
        (
            template(
                f"topology_template:\n  substitution_mappings:\n    node_type: tosca.nodes.Root\n    capabilities: {{feature: [won, feature]}}\n  node_templates:\n{_ONE}"
            ),
            template(
                f"topology_template:\n  substitution_mappings:\n    node_type: tosca.nodes.Root\n    capabilities: {{feature: [one, feature]}}\n  node_templates:\n{_ONE}"
            ),
        ),
    ),
    _code(
        "E025",
        "a group, policy or workflow names a node that is not there",
        "Members and targets must be node templates or groups of the topology.",
        (
            template(
                f"topology_template:\n  node_templates:\n{_ONE}  policies: [{{p: {{type: tosca.policies.Scaling, targets: [won]}}}}]\n"
            ),
            template(
                f"topology_template:\n  node_templates:\n{_ONE}  policies: [{{p: {{type: tosca.policies.Scaling, targets: [one]}}}}]\n"
            ),
        ),
    ),
    _code(
        "E026",
        "an input without a value",
        "The input is required and has no default: give it one with --input NAME=VALUE, or a file of inputs with --config.",
        (
            template("topology_template:\n  inputs: {zone: {type: string}}\n"),
            template("topology_template:\n  inputs: {zone: {type: string, default: a}}\n"),
        ),
        when="evaluate",
    ),
    _code(
        "E028",
        "the archive names an entry that it does not hold",
        "TOSCA-Metadata/TOSCA.meta says with Entry-Definitions which template to begin with, and that file is missing.",
        (
            {
                **template(""),
                "TOSCA-Metadata/TOSCA.meta": "TOSCA-Meta-File-Version: 1.0\nEntry-Definitions: templ.yaml\n",
            },
            {
                **template(""),
                "TOSCA-Metadata/TOSCA.meta": "TOSCA-Meta-File-Version: 1.0\nEntry-Definitions: template.yaml\n",
            },
        ),
    ),
    _code(
        "E029",
        "a copy of something that is not there",
        "copy names the node template to begin with; it must exist, and must not lead back to the copy.",
        _two(_ONE + "    two: {copy: won}\n", _ONE + "    two: {copy: one}\n"),
    ),
    _code(
        "E030",
        "no single service template to evaluate",
        "The package holds none, or several that nothing tells apart. Name the file instead of the folder.",
        (
            {"a.yaml": _HEAD + "topology_template: {}\n", "b.yaml": _HEAD + "topology_template: {}\n"},
            {"a.yaml": _HEAD + "topology_template: {}\nimports: [b.yaml]\n", "b.yaml": _HEAD},
        ),
        when="evaluate",
    ),
    _code(
        "W031",
        "a directive of an ensemble that is not followed",
        "Unfurl merges other files into an ensemble while it loads it. sabir follows `+include` in the ensemble, its spec and its service "
        "template, when the file is there and in the project; other directives, or further inside, it does not follow.",
        (
            {
                "ensemble.yaml": "apiVersion: unfurl/v1alpha1\nkind: Ensemble\nspec:\n  +include: base.yaml\n  service_template: {}\n"
            },
            {"ensemble.yaml": "apiVersion: unfurl/v1alpha1\nkind: Ensemble\nspec:\n  service_template: {}\n"},
        ),
    ),
    _code(
        "E033",
        "a workflow names a step that it does not have",
        "on_success and on_failure lead to other steps of the same workflow.",
        (
            template(
                f"topology_template:\n  node_templates:\n{_ONE}  workflows:\n    w: {{steps: {{s: {{target: one, on_success: [t]}}}}}}\n"
            ),
            template(
                f"topology_template:\n  node_templates:\n{_ONE}  workflows:\n    w: {{steps: {{s: {{target: one, on_success: [t]}}, t: {{target: one}}}}}}\n"
            ),
        ),
    ),
    _code(
        "E034",
        "an unknown relationship",
        "The relationship of a requirement is the name of a relationship template or of a relationship type.",
        _two(
            _ONE
            + "    two: {type: tosca.nodes.Root, requirements: [{dependency: {node: one, relationship: links}}]}\n",
            _ONE
            + "    two: {type: tosca.nodes.Root, requirements: [{dependency: {node: one, relationship: tosca.relationships.DependsOn}}]}\n",
        ),
    ),
)
