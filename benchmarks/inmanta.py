"""Inmanta: instances, relations, refinements, parsing, strings, templates and the start, against inmanta-core.

The peer is inmanta-core with inmanta-module-std in an environment of its own. Our side includes building the graph with
all origins; the peer's is the compile alone.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.runner.workload import Measure, Workload

__all__ = ["WORKLOADS"]

PROJECT = "name: bench\nmodulepath: [libs]\ndownloadpath: libs\nversion: 1.0\nrepo: []\n"
MODULE = "name: bm\nversion: 0.1\nlicense: none\n"
PLUGINS = """from inmanta.plugins import plugin


@plugin
def mix(text: "string", number: "int") -> "string":
    return text + ":" + str(number % 7)
"""


def _write(folder: Path, files: dict[str, str]) -> None:
    (folder / "libs").mkdir(exist_ok=True)
    for name, text in {"project.yml": PROJECT, **files}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)


def generate_loop(size: int, folder: Path) -> None:
    text = """entity Item:
    string name
    int number
    bool flag = true
    string[] tags = ["x", "y"]
    dict extra = {}
end
implement Item using std::none
for i in std::sequence(SIZE):
    Item(name="item-{{i}}", number=i, flag=true, extra={"i": i})
end
"""
    _write(folder, {"main.cf": text.replace("SIZE", str(size))})


def generate_relations(size: int, folder: Path) -> None:
    text = """entity Host:
    string name
end
entity File:
    string path
end
entity Link:
    string label
end
Host.files [0:] -- File.host [1]
Link.target [1] -- File
Link.other [1] -- File
index Host(name)
index File(host, path)
implement Host using std::none
implement File using std::none
implement Link using std::none
for h in std::sequence(20):
    host = Host(name="host{{h}}")
    for f in std::sequence(SIZE):
        File(host=host, path="/srv/data/{{f}}")
        Link(
            label="{{h}}/{{f}}",
            target=File[host=host, path="/srv/data/{{f}}"],
            other=host.files[path="/srv/data/{{f}}"]
        )
    end
end
seven = Host[name="host7"]
count = std::count(seven.files)
"""
    _write(folder, {"main.cf": text.replace("SIZE", str(size))})


def generate_refine(size: int, folder: Path) -> None:
    parts = [f"entity Level{level}:\n    int number\n    string label\nend\n" for level in range(10)]
    parts += [
        f"implementation step{level} for Level{level}:\n"
        f'    nxt = Level{level + 1}(number=number, label="{{{{label}}}}.{level}")\nend\n'
        f"implement Level{level} using step{level}\n"
        for level in range(9)
    ]
    parts.append("implement Level9 using std::none\n")
    parts.append(f'for i in std::sequence({size}):\n    Level0(number=i, label="r{{{{i}}}}")\nend\n')
    _write(folder, {"main.cf": "".join(parts)})


def generate_text(size: int, folder: Path) -> None:
    """About `size` lines of definitions."""
    block = '''entity KindN extends std::Entity:
    """
    Kind number N.
    """
    string name = "nN"
    int size = N
    bool on = true
    string[] tags = ["a", "b", "c"]
    dict extra = {}
end
KindN.peers [0:] -- KindN.back [0:1]
implementation buildN for KindN:
    if self.size > N and (on or not (name == "x")):
        other = KindN(name="{{name}}-sub", size=0)
        self.peers += other
    else:
        label = std::replace(name, old="a", **{"new": "b"})
    end
end
implement KindN using buildN when size > 0
implement KindN using std::none
typedef smallN as int matching self > 0 and self < 1N
valueN = [1, 2.5, "three", true, {"k": [1, 2]}]
'''
    count = -(-size // block.count("\n"))
    _write(folder, {"main.cf": "".join(block.replace("N", str(number)) for number in range(count))})


def generate_strings(size: int, folder: Path) -> None:
    text = """import bm
domain = "example.org"
site = "eu"
for i in std::sequence(SIZE):
    a = "{{site}}-{{i}}"
    b = "{{a}}.{{domain}}"
    c = "<{{a}}|{{b}}|{{site}}>"
    d = bm::mix(c, i)
    e = "{{d}}{{c}}"
end
"""
    _write(
        folder,
        {
            "main.cf": text.replace("SIZE", str(size)),
            "libs/bm/module.yml": MODULE,
            "libs/bm/model/_init.cf": "",
            "libs/bm/plugins/__init__.py": PLUGINS,
        },
    )


def generate_templates(size: int, folder: Path) -> None:
    model = """entity Conf:
    int number
    string name
    string text
end
implementation render for Conf:
    lines = ["alpha", "beta", "gamma"]
    self.text = std::template("bm/conf.j2")
end
implement Conf using render
"""
    template = """# {{ name }} ({{ number }})
{% for line in lines %}{{ loop.index }} = {{ line | upper }}-{{ name }}
{% endfor %}{% if number > 10 %}big{% else %}small{% endif %}
"""
    main = f'import bm\nfor i in std::sequence({size}):\n    bm::Conf(number=i, name="c{{{{i}}}}")\nend\n'
    _write(
        folder,
        {
            "main.cf": main,
            "libs/bm/module.yml": MODULE,
            "libs/bm/model/_init.cf": model,
            "libs/bm/plugins/__init__.py": PLUGINS,
            "libs/bm/templates/conf.j2": template,
        },
    )


def generate_wide(size: int, folder: Path) -> None:
    text = """entity Host:
    string name
end
entity File:
    string path
end
Host.files [0:] -- File.host [1]
implement Host using std::none
implement File using std::none
host = Host(name="one")
for f in std::sequence(SIZE):
    File(host=host, path="/srv/{{f}}")
end
total = std::count(host.files)
"""
    _write(folder, {"main.cf": text.replace("SIZE", str(size))})


def evaluate(folder: str, _size: int) -> Callable[[], Any]:
    from sabir.languages.inmanta import LANGUAGE
    from sabir.languages.language import EvaluationRequest
    from sabir.session import Session, Trust
    from sabir.source.packages.load import load_package

    request = EvaluationRequest(session=Session(trust=Trust(python=True)))
    # Modules are loaded now, not while the clock runs.
    from sabir.source.packages import MemoryPackage

    LANGUAGE.evaluate(MemoryPackage({"main.cf": "x = std::count([])\n", "project.yml": PROJECT}), request)

    def run() -> int:
        evaluation = LANGUAGE.evaluate(load_package(folder), request)
        assert not evaluation.findings, evaluation.findings[0]
        return sum(not one.type.startswith("std::") for one in evaluation.graph)

    return run


def start(folder: str, _size: int) -> Callable[[], Any]:
    def run() -> int:
        from sabir.languages.inmanta import LANGUAGE
        from sabir.languages.language import EvaluationRequest
        from sabir.source.packages.load import load_package

        evaluation = LANGUAGE.evaluate(load_package(folder), EvaluationRequest())
        return sum(not one.type.startswith("std::") for one in evaluation.graph)

    return run


def parse_cold(folder: str, _size: int) -> Callable[[], Any]:
    import tempfile

    from sabir.languages.inmanta.syntax.cache import parse_cached
    from sabir.text import Source

    source = Source("main.cf", Path(folder, "main.cf").read_text())
    cache = Path(tempfile.mkdtemp(dir=folder))
    return lambda: len(parse_cached(source, cache).statements)


def parse_warm(folder: str, _size: int) -> Callable[[], Any]:
    from sabir.languages.inmanta.syntax.cache import parse_cached
    from sabir.text import Source

    source = Source("main.cf", Path(folder, "main.cf").read_text())
    cache = Path(folder, "cache")
    parse_cached(source, cache)
    return lambda: len(parse_cached(source, cache).statements)


def _workload(
    name: str,
    about: str,
    sizes: tuple[int, ...],
    generate: Callable[[int, Path], None],
    ours: str = "evaluate",
    measure: Measure = Measure.HOT,
) -> Workload:
    return Workload(
        name=f"inmanta-{name}",
        about=about,
        sizes=sizes,
        generate=generate,
        sabir=f"benchmarks.inmanta:{ours}",
        peer=f"inmanta_peer.py:{ours}",
        measure=measure,
    )


WORKLOADS = (
    _workload(
        "loop", "instances with five attributes made in a loop", (1_000, 10_000, 50_000), generate_loop
    ),
    _workload(
        "relations",
        "20 hosts with files, both ends, an index, two look-ups a file",
        (1_000,),
        generate_relations,
    ),
    _workload("refine", "chains of ten refinements", (1_000,), generate_refine),
    _workload(
        "parse",
        "lines of definitions read for the first time, and the cache written",
        (20_000,),
        generate_text,
        "parse_cold",
    ),
    _workload(
        "parse-warm", "lines of definitions read from the cache", (20_000,), generate_text, "parse_warm"
    ),
    _workload("strings", "rounds of four interpolations and a plug-in call", (50_000,), generate_strings),
    _workload("templates", "templates of three lines, one an instance", (2_000,), generate_templates),
    _workload("wide", "files on the reverse end of one host", (2_000, 20_000), generate_wide),
    _workload(
        "start",
        "from the start of the process to the first line of an empty model",
        (0,),
        generate_loop,
        "start",
        Measure.PROCESS,
    ),
)
