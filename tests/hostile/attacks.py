"""Every attack in one table: what it does, at which door, how it ends, within which bounds. `docs/safety.md` shows it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from functools import partial
from typing import Final

from tests.hostile.attack import TOSCA, Attack, Content, archive
from tests.hostile.commands import COMMAND_ATTACKS
from tests.hostile.misspelt import MISSPELT, ONLY_WARNED_OF

__all__ = ["ATTACKS"]


def _template(value: str) -> Callable[[], Mapping[str, Content]]:
    """A template with one output."""
    text = f"{TOSCA}topology_template:\n  outputs:\n    o:\n      value: {value}\n"
    return lambda: {"service.yaml": text}


def _property(schema: str, value: str) -> Callable[[], Mapping[str, Content]]:
    text = (
        f"{TOSCA}node_types:\n  N: {{derived_from: tosca.nodes.Root, properties: {{p: {schema}}}}}\n"
        f"topology_template:\n  node_templates:\n    n: {{type: N, properties: {{p: {value}}}}}\n"
    )
    return lambda: {"service.yaml": text}


def _model(text: str, **files: str) -> Callable[[], Mapping[str, Content]]:
    return lambda: {"main.cf": text, **files}


def _plugin(body: str) -> Callable[[], Mapping[str, Content]]:
    """A model that prints what the plug-in `f` returns."""
    head = "from inmanta.plugins import plugin\nclass Mute(Exception):\n    def __str__(self):\n        raise ValueError\n"
    return _model(
        'import m\nx = m::f()\ny = "{{x}}"\n',
        **{
            "libs/m/module.yml": "name: m\n",
            "libs/m/model/_init.cf": "",
            "libs/m/plugins/__init__.py": f"{head}@plugin\ndef f() -> 'any':\n    {body}\n",
        },
    )


def _format(value: str) -> Callable[[], Mapping[str, Content]]:
    """A package whose manifest has this format."""
    files = _murano("      - Return: 1\n")()
    manifest = str(files["manifest.yaml"]).replace("MuranoPL/1.4", value)
    return lambda: {**files, "manifest.yaml": manifest}


def _environment(text: str) -> Callable[[], Mapping[str, Content]]:
    template = f"{TOSCA}topology_template: {{node_templates: {{n: {{type: tosca.nodes.Root}}}}}}\n"
    return lambda: {"sabir.yaml": text, "t.yaml": template}


def _murano(code: str, *, method: str = "deploy") -> Callable[[], Mapping[str, Content]]:
    return lambda: {
        "manifest.yaml": "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\n"
        "Classes: {a.App: App.yaml}\n",
        "Classes/App.yaml": f"Name: a.App\nMethods:\n  {method}:\n    Body:\n{code}",
        "model.yaml": "?: {type: a.App, id: one}\n",
    }


def _dense_archive() -> Mapping[str, Content]:
    dense = "[" + "[]," * 300_000 + "]"
    manifest = "Format: MuranoPL/1.4\nType: Application\nFullName: a.App\nName: a\nDescription: a\nClasses:\n"
    names = [f"a.C{number}" for number in range(40)]
    classes = {f"Classes/{name}.yaml": f"Name: {name}\nX: {dense}\n" for name in names}
    return archive(
        {"manifest.yaml": manifest + "".join(f"  {name}: {name}.yaml\n" for name in names), **classes}
    )


def _deep_graph(levels: int) -> Callable[[], Mapping[str, Content]]:
    value = "[" * levels + "]" * levels
    graph = f'{{"format": "sabir.graph/1", "instances": [], "outputs": {{"o": {value}}}}}'
    return lambda: {"graph.json": graph}


def _import_chain() -> Mapping[str, Content]:
    files = {f"t{number}.yaml": f"{TOSCA}imports: [t{number + 1}.yaml]\n" for number in range(3000)}
    return {
        **files,
        "t3000.yaml": TOSCA,
        "service.yaml": f"{TOSCA}imports: [t0.yaml]\ntopology_template: {{}}\n",
    }


def _type_chain() -> Mapping[str, Content]:
    types = "".join(f"  T{number}: {{derived_from: T{number + 1}}}\n" for number in range(5000))
    text = f"{TOSCA}node_types:\n{types}  T5000: {{derived_from: tosca.nodes.Root}}\n"
    return {"service.yaml": text + "topology_template: {node_templates: {n: {type: T0}}}\n"}


def _class_chain() -> Mapping[str, Content]:
    names = range(2000)
    manifest = "Format: MuranoPL/1.4\nType: Application\nFullName: a.A0\nName: a\nDescription: a\nClasses:\n"
    classes = {
        f"Classes/A{number}.yaml": f"Name: a.A{number}\nExtends: a.A{number + 1}\n"
        f"Properties: {{p{number}: {{Contract: $.string()}}}}\n"
        for number in names
    }
    listed = "".join(f"  a.A{number}: A{number}.yaml\n" for number in range(len(names) + 1))
    return {
        "manifest.yaml": manifest + listed,
        f"Classes/A{len(names)}.yaml": f"Name: a.A{len(names)}\n",
        "model.yaml": "?: {type: a.A0, id: x}\n",
        **classes,
    }


def _entity_chain() -> Mapping[str, Content]:
    entities = "".join(
        f"entity E{number} extends E{number + 1}:\n    string p{number}\nend\n" for number in range(5000)
    )
    return {"main.cf": entities + "entity E5000:\nend\n"}


def _many_parts() -> Mapping[str, Content]:
    parts = "".join(f"  p{number}: {{path: t.yaml}}\n" for number in range(5000))
    return _environment(f"parts:\n{parts}")()


_PLUGIN: Final = (
    "from inmanta.plugins import plugin\nopen('RAN', 'w')\n@plugin\ndef f() -> 'int':\n    return 1\n"
)
_HANG: Final = '"(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)(a|a)"'
_LONG: Final = "a" * 40 + "b"

_COMPILE: Final = ("compile", "PATH")
_CHECK: Final = ("check", "PATH")

ATTACKS: Final = (
    # Requests
    Attack(
        attack="a JSON schema refers to an address",
        door="TOSCA expressions",
        files=_template("{eval: {validate: [1, {$ref: 'http://127.0.0.1:9/schema'}]}}"),
        words=_COMPILE,
        ends=1,
        says="which is not fetched",
    ),
    Attack(
        attack="a JSON schema refers to a file",
        door="TOSCA expressions",
        files=_template("{eval: {validate_json: [1, {$ref: 'file:///etc/passwd'}]}}"),
        words=_COMPILE,
        ends=1,
        says="which is not fetched",
    ),
    Attack(
        attack="a lookup of an address",
        door="Jinja2",
        files=_template("\"{{ lookup('url', 'http://127.0.0.1:9/') }}\""),
        words=_COMPILE,
        ends=1,
        says="--trust network",
    ),
    # Environment variables
    *(
        Attack(
            attack=f"a variable of the environment through {name}",
            door=door,
            files=files,
            words=_COMPILE,
            ends=1,
            says="--trust env:CANARY",
        )
        for name, door, files in (
            ("get_env", "TOSCA expressions", _template("{get_env: [CANARY, safe]}")),
            ("has_env", "TOSCA expressions", _template("{has_env: CANARY}")),
            ("lookup env", "Jinja2", _template("\"{{ lookup('env', 'CANARY') }}\"")),
            ("std::get_env", "Inmanta", _model('x = std::get_env("CANARY", "safe")\n')),
        )
    ),
    # Code
    *(
        Attack(
            attack="a plug-in of the model runs when it is imported",
            door=f"Inmanta, {words[0]}",
            files=_model(
                "import m\nx = m::f()\n",
                **{
                    "libs/m/module.yml": "name: m\n",
                    "libs/m/model/_init.cf": "",
                    "libs/m/plugins/__init__.py": _PLUGIN,
                },
            ),
            words=words,
            ends=1,
            says="--trust python",
        )
        for words in (
            _COMPILE,
            ("query", "PATH", "::*"),
            ("why", "PATH", "x"),
            ("render", "PATH"),
            ("diff", "PATH", "PATH"),
        )
    ),
    Attack(
        attack="a Python function by its name",
        door="TOSCA expressions",
        files=_template("{eval: {python: os.getcwd}}"),
        words=_COMPILE,
        ends=1,
        says="--trust python",
    ),
    # Files outside
    *(
        Attack(
            attack=f"{key} of sabir.yaml leads out of the environment",
            door="environment",
            files=_environment(text),
            words=_CHECK,
            ends=1,
            says="leads out of the environment",
        )
        for key, text in (
            ("path", "parts: {a: {path: ../secret.yaml}}\n"),
            ("model", "parts: {a: {path: t.yaml, model: ../secret.yaml}}\n"),
            ("config", "parts: {a: {path: t.yaml, config: /etc/passwd}}\n"),
            ("search_path", "parts: {a: {path: t.yaml, search_path: [..]}}\n"),
        )
    ),
    Attack(
        attack="an import leads out of the project",
        door="TOSCA",
        files=lambda: {"service.yaml": f"{TOSCA}imports: [../secret.yaml]\ntopology_template: {{}}\n"},
        words=_CHECK,
        ends=1,
        says="only what is in there is read",
    ),
    Attack(
        attack="an expression reads a file outside",
        door="TOSCA expressions",
        files=_template("{eval: {file: ../secret.yaml}, select: contents}"),
        words=_COMPILE,
        ends=1,
        says="outside the project",
    ),
    # Regular expressions
    *(
        Attack(
            attack="a regular expression with 2³⁶ ways",
            door=door,
            files=files,
            words=words,
            ends=1,
            says="takes too long",
        )
        for door, files, words in (
            (
                "TOSCA constraint, check",
                _property(f"{{type: string, constraints: [{{pattern: {_HANG}}}]}}", _LONG),
                _CHECK,
            ),
            (
                "TOSCA constraint, compile",
                _property(f"{{type: string, constraints: [{{pattern: {_HANG}}}]}}", _LONG),
                _COMPILE,
            ),
            (
                "Inmanta type",
                _model(
                    f'typedef t as string matching /{_HANG[1:-1]}b$/\nentity E:\n    t a\nend\nimplement E using std::none\nE(a="{"a" * 40}")\n'
                ),
                _COMPILE,
            ),
            ("Jinja2 test", _template(f"\"{{{{ '{_LONG}' is regex('^{_HANG[1:-1]}$') }}}}\""), _COMPILE),
            (
                "Jinja2 filter",
                _template(f"\"{{{{ '{_LONG}' | regex_search('^{_HANG[1:-1]}$') }}}}\""),
                _COMPILE,
            ),
        )
    ),
    # Too much
    Attack(
        attack="two loops of 100,000 rounds, one in the other",
        door="Inmanta",
        files=_model("for a in std::sequence(100000):\n    for b in std::sequence(100000):\n    end\nend\n"),
        words=_COMPILE,
        ends=1,
        says="--limits cpu=",
        is_heavy=True,
    ),
    Attack(
        attack="4,000,000 instances",
        door="Inmanta",
        files=_model(
            "entity E:\n    int a\n    int b\nend\nimplement E using std::none\n"
            "for a in std::sequence(2000):\n    for b in std::sequence(2000):\n        E(a=a, b=b)\n    end\nend\n"
        ),
        words=_COMPILE,
        ends=1,
        says="--limits",
        is_heavy=True,
    ),
    Attack(
        attack="a text of 7 MB",
        door="Inmanta",
        files=lambda: {"main.cf": 'a = "' + "x{{b}}" * 1_200_000 + '"\nb = 1\n'},
        words=_COMPILE,
        ends=1,
        says="",
        is_heavy=True,
    ),
    Attack(
        attack="12,000,000 nodes in an archive of 40 members",
        door="MuranoPL archive",
        files=_dense_archive,
        words=("check", "PATH/package.zip"),
        ends=1,
        says="nodes",
        is_heavy=True,
    ),
    Attack(
        attack="a list doubled forty times",
        door="TOSCA expressions",
        files=_template(
            "{eval: $x40, vars: {x0: [1, 2], "
            + ", ".join(
                f"x{n + 1}: {{eval: {{concat: [{{eval: $x{n}}}, {{eval: $x{n}}}]}}}}" for n in range(40)
            )
            + "}}"
        ),
        words=_COMPILE,
        ends=1,
        says="",
        is_heavy=True,
    ),
    *(
        Attack(
            attack=f"{what} in a template",
            door="Jinja2",
            files=_template(f'"{text}"'),
            words=_COMPILE,
            ends=1,
            says="",
            is_heavy=True,
        )
        for what, text in (
            ("a range joined", "{{ range(99999) | map('string') | join('x' * 10000) }}"),
            ("permutations", "{{ range(12) | permutations | list }}"),
            ("a number to a power", "{{ 9 ** 99999999 }}"),
            ("a text a billion times", "{{ 'x' * 1000000000 }}"),
        )
    ),
    Attack(
        attack="200,000 expressions in one template",
        door="Jinja2",
        files=_template('"' + "{{ 1 }}" * 200_000 + '"'),
        words=_COMPILE,
        ends=1,
        says="",
        is_heavy=True,
    ),
    Attack(
        attack="Jinja2 nested 80 deep",
        door="Jinja2",
        files=_template('"' + "{% for i in [1] %}" * 80 + "x" + "{% endfor %}" * 80 + '"'),
        words=_COMPILE,
        ends=1,
        says="",
        is_heavy=True,
    ),
    Attack(
        attack="a chain of 3,000 imports",
        door="TOSCA",
        files=_import_chain,
        words=("check", "PATH/service.yaml"),
        ends=1,
        says="",
        is_heavy=True,
    ),
    *(
        Attack(
            attack=f"a chain of {length} types",
            door=door,
            files=files,
            words=words,
            ends=1,
            says=says,
            is_heavy=True,
        )
        for door, files, length, words, says in (
            ("TOSCA, check", _type_chain, "5,000", _CHECK, "has more than 200 ancestors"),
            ("TOSCA, compile", _type_chain, "5,000", _COMPILE, "has more than 200 ancestors"),
            ("MuranoPL, check", _class_chain, "2,000", _CHECK, "has more than 200 ancestors"),
            ("MuranoPL, compile", _class_chain, "2,000", _COMPILE, "has more than 200 ancestors"),
            ("Inmanta, check", _entity_chain, "5,000", _CHECK, "more than 200 levels below"),
            ("Inmanta, compile", _entity_chain, "5,000", _COMPILE, "more than 200 levels below"),
        )
    ),
    *(
        Attack(
            attack=f"1,000 misspelt {subject}",
            door="check",
            files=partial(make, 1000),
            words=_CHECK,
            ends=0 if subject in ONLY_WARNED_OF else 1,
            says="did you mean",
        )
        for subject, make in MISSPELT.items()
    ),
    Attack(
        attack="5,000 parts",
        door="environment",
        files=_many_parts,
        words=_COMPILE,
        ends=1,
        says="--limits",
        is_heavy=True,
    ),
    *(
        Attack(
            attack=f"{levels:,} levels in a saved graph",
            door="saved graph",
            files=_deep_graph(levels),
            words=("compile", "PATH/graph.json"),
            ends=ends,
            says=says,
        )
        for levels, ends, says in ((500, 0, ""), (90_000, 2, "nested too deeply"))
    ),
    Attack(
        attack="an endless loop",
        door="MuranoPL",
        files=_murano("      - While: 1 = 1\n        Do: [{$x: 1}]\n"),
        words=("run", "PATH"),
        ends=1,
        says="steps",
    ),
    Attack(
        attack="texts of 400 kB kept in a loop",
        door="MuranoPL",
        files=_murano(
            "      - For: i\n        In: range(5000)\n        Do:\n"
            "          - $.setAttr(format('k{0}', $i), format('{0}', $i) + 'x' * 400000)\n"
        ),
        words=("run", "PATH"),
        ends=1,
        says="",
        is_heavy=True,
    ),
    Attack(
        attack="sleep in a constructor",
        door="MuranoPL, compile",
        files=_murano("      - sleep(30)\n", method=".init"),
        words=_COMPILE,
        ends=0,
        says="",
        is_heavy=True,
    ),
    Attack(
        attack="a list that holds itself",
        door="YAML",
        files=lambda: {"service.yaml": f"{TOSCA}topology_template: &a {{x: [*a]}}\n"},
        words=_CHECK,
        ends=1,
        says="contains itself",
    ),
    Attack(
        attack="a name that climbs out of the archive",
        door="archive",
        files=lambda: archive({"../x.yaml": "a: 1\n", "manifest.yaml": "Format: '1.0'\n"}),
        words=("check", "PATH/package.zip"),
        ends=1,
        says="climbs out of the package",
    ),
    Attack(
        attack="an output that is no data",
        door="Jinja2",
        files=_template("\"{{ [1, 2] | map('string') }}\""),
        words=_COMPILE,
        ends=0,
        says="",
    ),
    *(
        Attack(
            attack=f"{what} as a value",
            door="Jinja2",
            files=_template(f'"{text}"'),
            words=_COMPILE,
            ends=1,
            says="is no data",
        )
        for what, text in (
            ("a bound method", "{{ ['a'] | map('attr', 'upper') | list }}"),
            ("a bound method in a text", "x {{ 'a'.upper }}"),
            ("a bound method joined", "{{ ['a'.upper] | join }}"),
            ("a bound method beside a text", "{{ 'x' ~ 'a'.upper }}"),
            ("a bound method formatted", "{{ '%s' % 'a'.upper }}{{ '{}'.format('a'.upper) }}"),
            ("a class formatted", "{{ '%s' | format(namespace) }}"),
            ("a class joined", "{{ [namespace] | join }}"),
            ("a bound method in JSON", "{{ {'a': 'b'.upper} | to_json }}"),
            ("a generator", "{{ [1] | map('string') | string | upper }}"),
            ("an object", "{{ cycler(1) }}"),
        )
    ),
    *(
        Attack(
            attack=f"a plug-in that is allowed returns {what}",
            door="Inmanta",
            files=_plugin(body),
            words=(*_COMPILE, "--trust", "python"),
            ends=1,
            says="is no data",
        )
        for what, body in (
            ("an object", "return object()"),
            ("a list with an object", "return [[object()]]"),
            ("a generator", "return (x for x in [1])"),
            ("a bound method", "return 'a'.upper"),
        )
    ),
    *(
        Attack(
            attack=f"a plug-in that is allowed {what}",
            door="Inmanta",
            files=_plugin(body),
            words=(*_COMPILE, "--trust", "python"),
            ends=1,
            says=says,
        )
        for what, body, says in (
            ("returns a list that holds itself", "a = []; a.append(a); return a", "contains itself"),
            ("returns a map that holds itself", "a = {}; a['a'] = a; return a", "contains itself"),
            ("raises an exception without a text", "raise Mute", "Mute: its text cannot be made"),
            ("raises an exception about an object", "raise ValueError(object())", "<object object>"),
            ("ends the interpreter", "raise SystemExit(0)", "SystemExit"),
            ("says that memory is used up", "raise MemoryError", "MemoryError"),
        )
    ),
    Attack(
        attack="a plug-in that is allowed raises an exception without a text when it is imported",
        door="Inmanta",
        files=_plugin("return 1\nraise Mute"),
        words=(*_COMPILE, "--trust", "python"),
        ends=1,
        says="Mute: its text cannot be made",
    ),
    Attack(
        attack="a function that is allowed raises an exception without a text",
        door="TOSCA expressions",
        files=lambda: {
            **_template("{eval: {python: mute.py#f}}")(),
            "mute.py": "class Mute(Exception):\n    def __str__(self):\n        raise ValueError\ndef f(*_):\n    raise Mute\n",
        },
        words=(*_COMPILE, "--trust", "python"),
        ends=1,
        says="Mute: its text cannot be made",
    ),
    *(
        Attack(
            attack=f"a format of 5,000 digits, {what}",
            door="MuranoPL",
            files=_format(text),
            words=_CHECK,
            ends=0,
            says="the versions go up to",
        )
        for what, text in (
            ("as a number", "9" * 5000),
            ("as a text", "'" + "9" * 5000 + "'"),
            ("as a version", "MuranoPL/1." + "9" * 5000),
        )
    ),
    Attack(
        attack="a list of what is not defined",
        door="Jinja2",
        files=_template('"{{ [1] | map(attribute=0) }}"'),
        words=_COMPILE,
        ends=1,
        says="has no element 0",
    ),
    Attack(
        attack="a list as the key of a map",
        door="Jinja2",
        files=_template('"{{ {[]: 1} }}"'),
        words=_COMPILE,
        ends=1,
        says="cannot be the key of a mapping",
    ),
    Attack(
        attack="a saved graph with a forged script",
        door="HTML page",
        files=lambda: {
            "graph.json": json.dumps(
                {
                    "format": "sabir.graph/1",
                    "instances": [
                        {
                            "id": "</script><script>alert(1)</script>",
                            "type": "t",
                            "language": "x",
                            "name": "n",
                        }
                    ],
                }
            )
        },
        words=("compile", "PATH/graph.json", "--format", "html"),
        ends=0,
        says="",
    ),
    *COMMAND_ATTACKS,
)
