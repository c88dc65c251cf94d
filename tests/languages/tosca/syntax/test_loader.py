"""TOSCA templates in the forms they come in: each is read, or gets one exact finding."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import pytest

from sabir.checks import Application
from sabir.checks.options import CheckOptions
from sabir.diagnostics import Finding
from sabir.expressions.query import evaluate
from sabir.languages.language import Evaluation, EvaluationRequest
from sabir.languages.tosca import LANGUAGE
from sabir.operations.check import check_paths
from sabir.session import Session, Trust
from sabir.source.packages import LoadedPackage, MemoryPackage, ZipLoader, load_package

HEAD = "tosca_definitions_version: tosca_simple_yaml_1_3\n"


def found(files: dict[str, str]) -> list[Finding]:
    return list(Application().run(MemoryPackage(files), LANGUAGE.validators()))


def codes(text: str) -> list[str]:
    return [one.code for one in found({"t.yaml": text})]


def compiled(text: str, **request: Any) -> Evaluation:
    return LANGUAGE.evaluate(MemoryPackage({"t.yaml": text}), EvaluationRequest(**request))


SCRIPTS = dict.fromkeys(("scripts/create.sh", "scripts/conf.sh", "x.sh"), "true\n")
CLEAN = {
    "1.0 names and forms": """\
tosca_definitions_version: tosca_simple_yaml_1_0
node_types:
  my.App:
    derived_from: tosca.nodes.SoftwareComponent
    properties: {size: {type: scalar-unit.size, constraints: [{greater_or_equal: 1 MB}]}}
    interfaces: {Standard: {create: scripts/create.sh, configure: {implementation: scripts/conf.sh, inputs: {a: {type: string}}}}}
topology_template:
  node_templates:
    vm: {type: tosca.nodes.Compute, capabilities: {host: {properties: {mem_size: 2 GB}}, os: {properties: {version: 12.1}}}}
    app:
      type: my.App
      properties: {size: 512 MB}
      interfaces: {Standard: {create: {implementation: x.sh, inputs: {ip: {get_attribute: [HOST, private_address]}}}}}
      requirements: [{host: vm}]
""",
    "shorthand and prefixed types": HEAD
    + "topology_template: {node_templates: {a: {type: Compute}, b: {type: 'tosca:Compute'}}}\n",
    "a shorthand name is the shortest one": HEAD
    + """\
topology_template:
  node_templates:
    vm: {type: Compute, capabilities: {os: {properties: {type: linux}}}, requirements: [{local_storage: {node: disk, relationship: {type: AttachesTo, properties: {location: /d}}}}]}
    disk: {type: BlockStorage, properties: {size: 1 GB}}
    db: {type: Database, requirements: [{host: dbms}]}
    dbms: {type: DBMS, requirements: [{host: vm}]}
""",
    "substitution of a property by one of a node": HEAD
    + """\
node_types: {my.Sub: {derived_from: tosca.nodes.Root, properties: {port: {type: integer}}}}
topology_template:
  substitution_mappings: {node_type: my.Sub, properties: {port: [web, port]}}
  node_templates: {web: {type: my.Sub, properties: {port: 80}}}
""",
    "a byte order mark": "\ufeff"
    + HEAD
    + "topology_template: {node_templates: {a: {type: tosca.nodes.Root}}}\n",
    "dsl definitions and merge": HEAD
    + """\
dsl_definitions:
  host: &host {num_cpus: 2, mem_size: 1 GB}
topology_template:
  node_templates:
    vm: {type: tosca.nodes.Compute, capabilities: {host: {properties: {<<: *host, disk_size: 3 GB}}}}
""",
    "node filter and abstract target": HEAD
    + """\
topology_template:
  node_templates:
    small: {type: tosca.nodes.Compute, capabilities: {host: {properties: {num_cpus: 1}}}}
    big: {type: tosca.nodes.Compute, capabilities: {host: {properties: {num_cpus: 8}}}}
    web:
      type: tosca.nodes.WebServer
      requirements:
        - host:
            node: tosca.nodes.Compute
            node_filter: {capabilities: [{host: {properties: [{num_cpus: {greater_or_equal: 4}}]}}]}
""",
    "workflow, group, policy": HEAD
    + """\
topology_template:
  node_templates: {a: {type: tosca.nodes.Root}}
  groups: {g: {type: tosca.groups.Root, members: [a]}}
  policies: [{p: {type: tosca.policies.Scaling, targets: [g]}}]
  workflows: {w: {steps: {one: {target: a, activities: [{call_operation: Standard.create}], on_success: [two]}, two: {target: a}}}}
""",
    "2.0": """\
tosca_definitions_version: tosca_2_0
node_types:
  Server:
    properties:
      port: {type: integer, validation: {$in_range: [$value, [1, 65535]]}}
      url: {type: string, required: false}
    capabilities: {endpoint: {type: Endpoint}}
    requirements: [{uses: {capability: Endpoint, node: Server, relationship: Link, count_range: [0, UNBOUNDED]}}]
capability_types: {Endpoint: {properties: {name: {type: string, default: x}}}}
relationship_types: {Link: {}}
service_template:
  inputs: {port: {type: integer, default: 80}}
  node_templates:
    a: {type: Server, properties: {port: {$get_input: port}, url: {$concat: [http, '$$x']}}}
    b: {type: Server, properties: {port: 81}, requirements: [{uses: a}]}
  outputs:
    p: {value: {$get_property: [b, RELATIONSHIP, uses, TARGET, port]}}
    n: {value: {$get_property: [a, CAPABILITY, endpoint, name]}}
""",
    "NFV without its files": """\
tosca_definitions_version: tosca_simple_yaml_1_2
imports: [etsi_nfv_sol001_common_types.yaml, etsi_nfv_sol001_vnfd_types.yaml]
topology_template:
  node_templates:
    VDU1: {type: tosca.nodes.nfv.Vdu.Compute, properties: {name: VDU1, vdu_profile: {min_number_of_instances: 1}}}
    CP1:
      type: tosca.nodes.nfv.VduCp
      properties: {layer_protocols: [ipv4], order: 0}
      requirements: [{virtual_binding: VDU1}, {virtual_link: VL1}]
    VL1: {type: tosca.nodes.nfv.VnfVirtualLink, properties: {connectivity_type: {layer_protocols: [ipv4]}}}
  policies: [{levels: {type: tosca.policies.nfv.InstantiationLevels, properties: {levels: {}}}}]
""",
    "targets by capability, and bare numbers for units": HEAD
    + """\
capability_types: {Socket: {properties: {f: {type: scalar-unit.frequency}}}}
relationship_types: {Plug: {properties: {vendor: {type: string, required: false}}}}
node_types:
  Bulb: {requirements: [{socket: Socket}]}
  Panel: {capabilities: {main: Socket}, properties: {age: {type: scalar-unit.time, constraints: [{less_than: 100 d}]}}}
topology_template:
  node_templates:
    one: {type: Bulb, requirements: [{socket: {capability: Socket}}]}
    two: {type: Bulb, requirements: [{socket: {relationship: {type: Plug, properties: {vendor: x}}}}]}
    three:
      type: Bulb
      requirements: [{socket: {capability: Socket, node_filter: {capabilities: [{main: {properties: [{f: {greater_than: 100}}]}}]}}}]
    low: {type: Panel, properties: {age: 5 d}, capabilities: {main: {properties: {f: 50 hz}}}}
    high: {type: Panel, properties: {age: 5 d}, capabilities: {main: {properties: {f: 120 hz}}}}
""",
    "an input that only a type uses": HEAD
    + """\
node_types: {N: {derived_from: tosca.nodes.Root, properties: {d: {type: string, default: {get_input: domain}}}}}
topology_template: {inputs: {domain: {type: string, default: x}}, node_templates: {n: {type: N}}}
""",
    "2.0 scalars, computed keys, functions of others": """\
tosca_definitions_version: tosca_2_0
data_types:
  Size: {derived_from: scalar, data_type: integer, units: {B: 1, KB: 1000, GB: 1000000000}, validation: {$greater_or_equal: [$value, 0 B]}}
  Low: {derived_from: string, validation: {$matches: [$value, '^[a-z]*$']}}
  Lists: {derived_from: list, entry_schema: Lists}
node_types:
  N:
    properties:
      size: {type: Size, validation: {$and: [{$less_or_equal: [$value, 1 GB]}]}}
      sum: {type: integer}
      keys: {type: map, key_schema: Low, entry_schema: string}
      lists: {type: Lists}
      when: {type: timestamp}
service_template:
  node_templates:
    n:
      type: N
      properties:
        size: 5 KB
        sum: {$sum: [1, 2]}
        keys: {a: x, {$concat: [b, c]}: y}
        lists: [[[], []], []]
        when: '1975-09-15t12:34:56.7+02:00'
""",
    "data type that holds itself": HEAD
    + """\
data_types: {Tree: {properties: {name: {type: string}, inner: {type: list, required: false, entry_schema: {type: Tree}}}}}
node_types: {N: {derived_from: tosca.nodes.Root, properties: {t: {type: Tree}}}}
topology_template: {node_templates: {n: {type: N, properties: {t: {name: a, inner: [{name: b, inner: [{name: c}]}]}}}}}
""",
}


@pytest.mark.parametrize("text", CLEAN.values(), ids=CLEAN)
def test_nothing_to_say(text: str) -> None:
    assert [f"{one.location} {one.code} {one.message}" for one in found({"t.yaml": text, **SCRIPTS})] == []
    assert compiled(text).findings == ()


ONE = {
    "unknown dialect": ("tosca_definitions_version: cloudify_dsl_1_3\nnode_types: {}\n", "TOSCA:E001", 1, 28),
    "near type": (
        HEAD + "topology_template: {node_templates: {a: {type: tosca.nodes.Compuet}}}\n",
        "TOSCA:E006",
        2,
        48,
    ),
    "remote import": (HEAD + "imports: ['https://example.com/t.yaml']\n", "TOSCA:W040", 2, 11),
    "inside a list": (
        HEAD
        + "node_types: {N: {derived_from: tosca.nodes.Root, properties: {l: {type: list, entry_schema: integer}}}}\n"
        + "topology_template: {node_templates: {n: {type: N, properties: {l: [1, x]}}}}\n",
        "TOSCA:E012",
        3,
        71,
    ),
    "a list for a map": (HEAD + "node_types: [a]\n", "TOSCA:E002", 2, 14),
    "not YAML": (HEAD + "a: [\n", "E002", 3, 1),
}


@pytest.mark.parametrize(("text", "code", "line", "column"), ONE.values(), ids=ONE)
def test_one_exact_finding(text: str, code: str, line: int, column: int) -> None:
    (one,) = found({"t.yaml": text})
    assert (one.code, one.location.line, one.location.column) == (code, line, column)


def test_all_independent_errors_in_one_run() -> None:
    text = HEAD + (
        "topology_template:\n  node_templates:\n    a: {type: tosca.nodes.Rot}\n"
        "    b: {type: tosca.nodes.Root, requirements: [{dependency: c}]}\n"
        "  outputs: {o: {value: {get_input: x}}}\n"
    )
    assert codes(text) == ["TOSCA:E006", "TOSCA:E017", "TOSCA:E021"]


def test_imports_with_a_prefix_and_a_repository() -> None:
    files = {
        "t.yaml": HEAD
        + "repositories: {lib: {url: 'file:lib'}}\n"
        + "imports: [{file: types.yaml, repository: lib, namespace_prefix: p}]\n"
        + "topology_template: {node_templates: {a: {type: 'p:N'}, b: {type: p.N}}}\n",
        "lib/types.yaml": HEAD + "node_types: {N: {derived_from: tosca.nodes.Root}}\n",
    }
    assert found(files) == []


def csar() -> LoadedPackage:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr(
            "TOSCA-Metadata/TOSCA.meta", "TOSCA-Meta-File-Version: 1.1\nEntry-Definitions: defs/main.yaml\n"
        )
        archive.writestr(
            "defs/main.yaml",
            HEAD + "imports: [types.yaml]\ntopology_template: {node_templates: {a: {type: N}}}\n",
        )
        archive.writestr("defs/types.yaml", HEAD + "node_types: {N: {derived_from: tosca.nodes.Root}}\n")
        archive.writestr("defs/other.yaml", HEAD + "topology_template: {}\n")
    package = ZipLoader.from_bytes(buffer.getvalue())
    assert package is not None
    return package


def test_an_archive_begins_with_its_entry() -> None:
    assert LANGUAGE.recognises(csar())
    evaluation = LANGUAGE.evaluate(csar(), EvaluationRequest())
    assert evaluation.findings == ()
    assert [one.id for one in evaluation.graph] == ["a", "a.capabilities.feature"]


def test_an_ensemble_gives_inputs_and_recorded_instances() -> None:
    text = """\
apiVersion: unfurl/v1alpha1
kind: Ensemble
spec:
  inputs: {zone: south}
  service_template:
    topology_template:
      inputs: {zone: {type: string}}
      node_templates: {vm: {type: tosca.nodes.Compute}}
      outputs: {z: {value: {get_input: zone}}, ip: {value: {eval: '::vm::public_address'}}}
status:
  instances:
    vm: {template: vm, attributes: {public_address: 192.0.2.1}, readyState: {local: ok, state: started}}
"""
    evaluation = LANGUAGE.evaluate(MemoryPackage({"ensemble.yaml": text}), EvaluationRequest())
    assert evaluation.findings == ()
    assert evaluation.graph.outputs == {"z": "south", "ip": "192.0.2.1"}
    assert evaluation.graph["vm"].status == "ok"


def test_inputs_and_what_if() -> None:
    text = HEAD + (
        "topology_template:\n  inputs: {n: {type: integer}}\n  node_templates: {vm: {type: tosca.nodes.Compute}}\n"
        "  outputs: {n: {value: {get_input: n}}, ip: {value: {get_attribute: [vm, private_address]}}}\n"
    )
    assert [one.code for one in compiled(text).findings] == ["TOSCA:E026"]
    assert [one.code for one in compiled(text, inputs={"n": "x"}).findings] == ["TOSCA:E012"]
    assert [one.code for one in compiled(text, inputs={"n": 1, "m": 2}).findings] == ["TOSCA:E021"]
    evaluation = compiled(text, inputs={"n": 3}, overrides={"vm.private_address": "10.0.0.9"})
    assert evaluation.graph.outputs == {"n": 3, "ip": "10.0.0.9"}
    assert evaluation.graph["vm"].status is None, "a question does not start anything"


def test_fields_left_out_have_their_defaults() -> None:
    text = HEAD + (
        "node_types: {N: {derived_from: tosca.nodes.Root, properties: {p: {type: tosca.datatypes.network.PortSpec}}}}\n"
        "topology_template: {node_templates: {n: {type: N, properties: {p: {target: 80}}}}}\n"
    )
    assert compiled(text).graph["n"].attributes["p"] == {"target": 80, "protocol": "tcp"}


def test_a_copy_takes_what_it_does_not_say() -> None:
    text = HEAD + (
        "topology_template:\n  node_templates:\n"
        "    a: {type: tosca.nodes.Database, properties: {name: x, port: 1}}\n"
        "    b: {copy: a, properties: {port: 2}}\n"
    )
    graph = compiled(text).graph
    assert (graph["b"].attributes["name"], graph["b"].attributes["port"]) == ("x", 2)


def test_long_chains_of_properties_do_not_overflow() -> None:
    nodes = "".join(
        f"    n{at}: {{type: N, properties: {{p: {{get_property: [n{at + 1}, p]}}}}}}\n" for at in range(400)
    )
    text = HEAD + (
        "node_types: {N: {derived_from: tosca.nodes.Root, properties: {p: {type: string}}}}\n"
        f"topology_template:\n  node_templates:\n{nodes}    n400: {{type: N, properties: {{p: deep}}}}\n"
    )
    assert compiled(text).graph["n0"].attributes["p"] == "deep"


def test_a_single_file_imports_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "types.yaml").write_text(HEAD + "node_types: {N: {derived_from: tosca.nodes.Root}}\n")
    (tmp_path / "t.yaml").write_text(
        HEAD + "imports: [types.yaml]\ntopology_template: {node_templates: {a: {type: N}}}\n"
    )
    assert LANGUAGE.evaluate(load_package(tmp_path / "t.yaml"), EvaluationRequest()).findings == ()


def test_a_single_file_reaches_as_far_as_its_project(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, text in {
        "types/kinds.yaml": HEAD + "node_types: {k: {derived_from: tosca.nodes.Root}}\n",
        "a/main.yaml": HEAD
        + "imports: [../types/kinds.yaml]\ntopology_template: {node_templates: {n: {type: k}}}\n",
    }.items():
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_text(text, encoding="utf-8")
    package = load_package(tmp_path / "a" / "main.yaml")
    monkeypatch.chdir(tmp_path)
    (refused,) = Application().run(package, LANGUAGE.validators())
    assert refused.code == "TOSCA:E004"
    assert f"is outside {str(tmp_path / 'a')!r}" in refused.message
    assert "--trust outside" in str(refused.hint)
    allowed = CheckOptions(session=Session(trust=Trust(outside=True)))
    assert not list(Application(allowed).run(package, LANGUAGE.validators()))
    (tmp_path / "unfurl.yaml").touch()
    assert not list(Application().run(package, LANGUAGE.validators()))


def test_two_grammars_one_topology() -> None:
    graph = compiled(CLEAN["2.0"]).graph
    assert graph.outputs == {"p": 80, "n": "x"}
    assert graph["a"].attributes["url"] == "http$x"


def test_a_node_is_found_by_its_capability() -> None:
    graph = compiled(CLEAN["targets by capability, and bare numbers for units"]).graph
    assert [graph[name].relations["socket"] for name in ("one", "two", "three")] == [
        ("low",),
        ("low",),
        ("high",),
    ]


def test_the_first_fitting_node_is_chosen() -> None:
    assert compiled(CLEAN["node filter and abstract target"]).graph["web"].relations["host"] == ("big",)


@pytest.mark.parametrize(
    "text",
    [
        "tosca_definitions_version: {}\n",
        HEAD + "topology_template: {node_templates: {a: 1, b: [], c: null}}\n",
        HEAD + "topology_template: {node_templates: {a: {type: [x]}}}\n",
        HEAD + "node_types: {a: {requirements: {x: 1}, capabilities: [1], properties: 3}}\n",
        HEAD + "imports: [{}, [], 1, {file: {}}]\n",
        HEAD
        + "topology_template: {inputs: [1], outputs: 2, groups: 3, policies: 4, workflows: 5, substitution_mappings: 6}\n",
        HEAD
        + "topology_template: {node_templates: {a: {type: tosca.nodes.Root, requirements: [1, {x: [2]}, null]}}}\n",
        HEAD + "data_types: {a: {derived_from: a, properties: {x: {type: a, constraints: {in_range: 1}}}}}\n",
        HEAD + "? [a, b]\n: 1\n? {c: d}\n: 2\n",
        "",
        "- 1\n",
    ],
)
def test_nonsense_is_findings_and_never_a_traceback(text: str) -> None:
    package = MemoryPackage({"t.yaml": text})
    list(Application().run(package, LANGUAGE.validators()))
    LANGUAGE.evaluate(package, EvaluationRequest())


def test_expressions_start_from_capabilities_too() -> None:
    text = HEAD + "topology_template: {node_templates: {vm: {type: tosca.nodes.Compute}}}\n"
    from sabir.expressions.query import resources_of

    root = resources_of(compiled(text).graph)
    assert evaluate("::vm::.capabilities::[.name=endpoint]::protocol", root).values == ["tcp"]


def test_what_the_entry_of_an_archive_does_not_reach_is_left_alone() -> None:
    meta = "TOSCA-Meta-File-Version: 1.1\nEntry-Definitions: main.yaml\n"
    files = {
        "TOSCA-Metadata/TOSCA.meta": meta,
        "main.yaml": HEAD + "topology_template: {}\n",
        "other.yaml": HEAD + "topology_template: {node_templates: {a: {type: Nowhere}}}\n",
    }
    assert found(files) == []
    (finding,) = found({**files, "TOSCA-Metadata/TOSCA.meta": "TOSCA-Meta-File-Version: 1.1\n"})[:1]
    assert (finding.code, finding.message) == ("TOSCA:E028", "TOSCA.meta has no Entry-Definitions")


def test_a_circle_of_types_is_one_error(tmp_path: Path) -> None:
    types = "node_types:\n  A: {derived_from: B}\n  B: {derived_from: C}\n  C: {derived_from: A}\n"
    nodes = "topology_template:\n  node_templates: {x: {type: A}, y: {type: B}}\n"
    file = tmp_path / "t.yaml"
    file.write_text(f"tosca_definitions_version: tosca_simple_yaml_1_3\n{types}{nodes}")
    (finding,) = (finding for _, finding in check_paths([file]).report.findings())
    assert finding.message == "node type 'A' derives from itself: A → B → C → A"


def test_a_version_that_is_none_names_its_family(tmp_path: Path) -> None:
    file = tmp_path / "t.yaml"
    file.write_text("tosca_definitions_version: tosca_simple_yaml_1_9\n")
    (finding,) = (finding for _, finding in check_paths([file]).report.findings())
    assert finding.hint is not None
    assert finding.hint.endswith("tosca_simple_yaml_1_3")


def test_the_file_of_a_project_is_no_template() -> None:
    project = "apiVersion: unfurl/v1alpha1\nkind: Project\nensembles: [{file: ensemble/ensemble.yaml}]\n"
    ensemble = (
        "apiVersion: unfurl/v1alpha1\nkind: Ensemble\nspec: {service_template: {topology_template: {}}}\n"
    )
    files = {"unfurl.yaml": project, "ensemble/ensemble.yaml": ensemble}
    assert found(files) == []
    assert LANGUAGE.evaluate(MemoryPackage(files), EvaluationRequest()).findings == ()
    (finding,) = found({"unfurl.yaml": project})
    assert (finding.code, finding.message) == ("TOSCA:E030", "this project has no ensemble that can be read")
