"""Small models, one for each kind of step, and the values to explain in them."""

from __future__ import annotations

from dataclasses import dataclass, field

from sabir.diagnostics.finding import Severity
from sabir.graph.graph import Graph
from sabir.languages.inmanta import LANGUAGE
from sabir.languages.language import EvaluationRequest
from sabir.operations.why import Explanation, Subject, explain_subject, find_subject
from sabir.session import Session, Trust
from sabir.source.packages import MemoryPackage
from tests.provenance.law import Line, Value, covered_lines

__all__ = ["CASES", "Case", "evaluate", "named_lines", "values"]


@dataclass(frozen=True)
class Case:
    main: str
    subject: str
    files: dict[str, str] = field(default_factory=dict[str, str])

    def all_files(self) -> dict[str, str]:
        return {"main.cf": self.main, **self.files}

    def explanation(self) -> Explanation:
        graph = evaluate(self.all_files(), full=True)
        assert graph is not None
        return explain_subject(graph, find_subject(graph, self.subject))


def evaluate(files: dict[str, str], *, full: bool = False) -> Graph | None:
    """The graph, or None when there are errors."""
    session = Session(trust=Trust(python=True))
    request = EvaluationRequest(full_provenance=full, session=session)
    evaluation = LANGUAGE.evaluate(MemoryPackage(files), request)
    failed = any(one.severity is Severity.ERROR for one in evaluation.findings)
    return None if failed else evaluation.graph


def values(graph: Graph) -> dict[Value, str]:
    """Every value, relations without their order. Instances that only have a number are left out: a change that makes
    one more instance gives the others new numbers."""
    found: dict[Value, str] = {}
    for one in graph:
        if "#" not in one.id and not one.type.startswith("std::"):
            found |= {(one.id, name): repr(value) for name, value in one.attributes.items()}
            found |= {(one.id, name): f"→ {sorted(ids)}" for name, ids in one.relations.items()}
    return found | {(None, name): repr(value) for name, value in graph.outputs.items()}


def named_lines(graph: Graph, value: Value) -> set[Line]:
    """The lines that the chain of a value names."""
    instance = None if value[0] is None else graph[value[0]]
    return covered_lines(explain_subject(graph, Subject(instance, value[1])))


HOST = """entity Host:
    string name
    int size = 1
    string? note
    string text = ""
end
index Host(name)
entity File:
    string path
    string content = "empty"
end
index File(host, path)
File.host [1] -- Host.files [0:]
Host.backup [0:1] -- Host.backs [0:]
implement File using std::none
"""
PLAIN = HOST + "implement Host using std::none\n"


def module(model: str, **files: str) -> dict[str, str]:
    found = {"libs/mod/module.yml": "name: mod\nversion: 1.0\nlicense: x\n", "libs/mod/model/_init.cf": model}
    named = {"plugins": "libs/mod/plugins/__init__.py", "template": "libs/mod/templates/t.j2"}
    named |= {"included": "libs/mod/templates/i.j2", "data": "libs/mod/files/f.txt"}
    found |= {named[name]: text for name, text in files.items()}
    return found | {"project.yml": "name: p\nmodulepath: libs\n"}


CASES: dict[str, Case] = {
    "literal": Case('size = 3\nname = "a"\n', "outputs.size"),
    "constructor argument": Case(PLAIN + 'Host(name="a", size=4)\n', "a.size"),
    "argument on another line": Case(PLAIN + 'Host(\n    name="a",\n    size=4\n)\n', "a.size"),
    "default": Case(PLAIN + 'Host(name="a")\n', "a.size"),
    "default of a subtype": Case(
        PLAIN
        + "entity Big extends Host:\n    int size = 8\nend\nimplement Big using std::none\n"
        + 'Big(name="a")\n',
        "a.size",
    ),
    "assignment": Case(PLAIN + 'h = Host(name="a")\nn = "x"\nh.note = n\n', "a.note"),
    "no value": Case(PLAIN + 'Host(name="a")\n', "a.note"),
    "variables": Case('a = 1\nb = a\nc = b + 2\nd = c > 2 ? "yes" : "no"\n', "outputs.d"),
    "interpolation": Case('a = "x"\nb = 2\nc = "{{ a }}-{{ b }}"\n', "outputs.c"),
    "f-string": Case('a = 3\nb = f"{a:>4}"\n', "outputs.b"),
    "lists and dicts": Case('a = 1\nd = {"k": [a, 2], "l": 3}\nkey = "k"\nv = d[key]\n', "outputs.v"),
    "a literal of several lines": Case("v = [\n    1,\n    2\n]\n", "outputs.v"),
    "comprehension": Case("limit = 2\nl = [1, 2, 3]\nv = [x * 10 for x in l if x >= limit]\n", "outputs.v"),
    "comprehension that waits": Case(
        PLAIN
        + 'a = Host(name="a", size=3)\nb = Host(name="b", size=later)\nc = Host(name="c", size=1)\n'
        + "v = [h.name for h in [a, b, c] if h.size > limit]\nlimit = 2\nlater = early + 1\nearly = 4\n",
        "outputs.v",
    ),
    "comprehension that goes on": Case(
        HOST
        + 'implement Host using std::none\na = Host(name="a", note="n")\nb = Host(name="b")\n'
        + 'v = [h.note for h in [a, b] if h.note != null]\nb.note = late\nlate = early\nearly = "e"\n',
        "outputs.v",
    ),
    "conditional expression": Case(
        "a = 1\nb = 2\nbig = 9\nsmall = 3\nv = a > b ? big : small\n", "outputs.v"
    ),
    "and, or": Case("a = true\nb = false\nc = true\nv = a and (b or c)\n", "outputs.v"),
    "if": Case(
        PLAIN + 'a = 5\nh = Host(name="a")\nif a > 3:\n    h.note = "big"\nend\n',
        "a.note",
    ),
    "elif and else": Case(
        PLAIN
        + 'a = 5\nb = 1\nh = Host(name="a")\nif a < 3:\n    h.note = "small"\nelif b == 2:\n    h.note = "two"\n'
        + 'else:\n    h.note = "other"\nend\n',
        "a.note",
    ),
    "loop": Case(PLAIN + 'names = ["a", "b"]\nfor n in names:\n    Host(name=n, size=2)\nend\n', "b.size"),
    "loops in loops": Case(
        PLAIN
        + 'for rack in ["a", "b"]:\n    for n in [1, 2]:\n        Host(name="{{ rack }}{{ n }}", note=f"{rack}-{n}")\n'
        + "    end\nend\n",
        "b2.note",
    ),
    "relation filled by a loop": Case(
        PLAIN + 'h = Host(name="h")\nfor n in ["a", "b", "c"]:\n    File(host=h, path=n)\nend\n',
        "h.files",
    ),
    "loop over a relation": Case(
        PLAIN
        + 'h = Host(name="h")\nFile(host=h, path="x")\ny = File(host=h, path="y")\n'
        + 'for f in h.files:\n    Host(name="of {{ f.path }}", backup=f.host)\nend\n',
        "of y.backup",
    ),
    "attribute chain": Case(
        PLAIN
        + 'b = Host(name="b", size=7)\nh = Host(name="a", backup=b)\nf = File(host=h, path="x")\n'
        + "v = f.host.backup.size\n",
        "outputs.v",
    ),
    "relation": Case(
        PLAIN + 'h = Host(name="a")\np = "x"\nFile(host=h, path=p)\nf = File(host=h, path="y")\n', "a.files"
    ),
    "relation that is added to": Case(
        PLAIN
        + 'h = Host(name="a")\ng = Host(name="b")\nk = Host(name="c")\nh.backs += [g, k]\nk.note = "x"\n',
        "a.backs",
    ),
    "relation from a relation": Case(
        PLAIN
        + 'h = Host(name="a")\ng = Host(name="b")\nl = Host(name="l", backup=h)\n'
        + "v = [x.name for x in h.backs]\n",
        "outputs.v",
    ),
    "index": Case(
        PLAIN + 'n = "b"\nHost(name="a", size=3)\nHost(name="b", size=4)\nv = Host[name=n].size\n',
        "outputs.v",
    ),
    "index of a relation": Case(
        PLAIN
        + 'h = Host(name="a")\nFile(host=h, path="x", content="1")\nFile(host=h, path="y", content="2")\n'
        + 'v = h.files[path="y"].content\n',
        "outputs.v",
    ),
    "made before": Case(PLAIN + 'n = "a"\na = Host(name="a")\nb = Host(name=n)\nv = b.name\n', "outputs.v"),
    "refinement": Case(
        HOST
        + 'implementation sized for Host:\n    twice = self.size * 2\n    self.note = "is {{ twice }}"\nend\n'
        + 'implement Host using sized\nHost(name="a", size=3)\n',
        "a.note",
    ),
    "refinement with a condition": Case(
        HOST
        + 'limit = 2\nimplementation big for Host:\n    self.note = "big"\nend\n'
        + "implement Host using std::none\nimplement Host using big when size > limit\n"
        + 'Host(name="a", size=3)\nHost(name="b", size=1)\n',
        "a.note",
    ),
    "a condition that does not hold": Case(
        HOST
        + 'limit = 2\nimplementation big for Host:\n    File(host=self, path="x")\nend\n'
        + "implement Host using std::none\nimplement Host using big when size > limit\n"
        + 'Host(name="a", size=3)\nHost(name="b", size=1)\n',
        "b.files",
    ),
    "a loop over nothing": Case(
        HOST
        + "paths = []\nimplementation files for Host:\n    for p in paths:\n        File(host=self, path=p)\n"
        + '    end\nend\nimplement Host using files\nHost(name="a")\n',
        "a.files",
    ),
    "refinement of the parents": Case(
        HOST
        + 'entity Big extends Host:\nend\nimplementation sized for Host:\n    self.note = "{{ size }}"\nend\n'
        + "implement Host using sized\nimplement Big using parents\n"
        + 'Big(name="a", size=3)\n',
        "a.note",
    ),
    "made by a refinement": Case(
        HOST
        + 'implementation files for Host:\n    if self.size > 1:\n        File(host=self, path="x", content=text)\n'
        + '    end\nend\nimplement Host using files\nHost(name="a", size=2, text="t")\n',
        "a,x.content",
    ),
    "unpacked dict": Case(PLAIN + 's = 4\nd = {"size": s, "note": "n"}\nHost(name="a", **d)\n', "a.size"),
    "qualified name": Case(
        "import mod\nimport mod::sub as s\na = mod::base\nv = s::more + a\n",
        "outputs.v",
        module("base = 3\n") | {"libs/mod/model/sub.cf": "import mod\nmore = mod::base * 2\n"},
    ),
    "plug-in": Case(
        PLAIN + 'import mod\nh = Host(name="a", size=2)\nn = 3\nv = mod::scaled(h, n)\n',
        "outputs.v",
        module(
            "x = 1\n",
            plugins="from inmanta.plugins import plugin\n\nFACTOR = 10\n\n\ndef helper(value):\n"
            '    return value * FACTOR\n\n\n@plugin\ndef scaled(host: "any", by: "int") -> "int":\n'
            "    return helper(host.size) + by\n",
        ),
    ),
    "plug-in of std": Case('t = "a-b"\nv = std::replace(t, "-", "+")\n', "outputs.v"),
    "template": Case(
        HOST
        + 'import mod\ngreeting = "hi"\nimplementation files for Host:\n'
        + '    self.note = std::template("mod/t.j2")\nend\n'
        + 'implement Host using files\nh = Host(name="a", size=2)\nFile(host=h, path="x")\n',
        "a.note",
        module(
            'base = "m"\nimport mod\n',
            template="{{ greeting }} {{ name }}\n{% for f in files %}\n- {{ f.path }}\n{% endfor %}\n"
            "static\n{% if size > 1 %}\nbig\n{% endif %}\n{{ mod.base }}\n{% include 'mod/i.j2' %}\n",
            included="of {{ size }}\n",
        ),
    ),
    "file": Case('import mod\nv = std::source("mod/f.txt")\n', "outputs.v", module("x = 1\n", data="text\n")),
}
