from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sabir.languages.language import Explorer, Explores
from sabir.operations.packages import load_languages
from sabir.source.packages import MemoryPackage, PackageFile
from sabir.source.symbols import FileNames

MODEL = """\
import net::address as address
entity Host extends std::Entity:
    \"\"\" A machine. \"\"\"
    string name
end
Host.disks [0:] -- Disk.host [1]
implementation setup for Host:
    self.size = address::size(name)
end
implement Host using setup
a = Host(name="x")
b = a.disks
"""
TEMPLATE = """\
tosca_definitions_version: tosca_simple_yaml_1_3
node_types:
  my.Web: {derived_from: tosca.nodes.Root, properties: {port: {type: integer, default: 80}}}
topology_template:
  inputs:
    size: {type: integer}
  node_templates:
    web:
      type: my.Web
      properties: {port: {get_input: size}}
      requirements:
        - host: server
    server: {type: tosca:Compute}
  outputs:
    url: {value: {get_property: [web, port]}}
    address: {value: {eval: '::server::public_address'}}
"""
DEFINITION = """\
dsl_version: 0.4.0
service:
  name: shop
  containers:
    - name: web
      image: shop
      daemon:
        command: run --port {{ shop.port.cont }}
        dependencies: [orders/db-sync]
        files: [conf]
files:
  conf: {path: /etc/x, content: x.j2}
"""
ENVIRONMENT = """\
parts:
  network: {path: net, language: inmanta}
  web: {path: web, inputs: {address: {eval: "::network::host::ip"}}}
"""
CASES = {
    "inmanta": ("main.cf", MODEL),
    "tosca": ("service.yaml", TEMPLATE),
    "ccp": ("service/shop.yaml", DEFINITION),
    "environment": ("sabir.yaml", ENVIRONMENT),
}


def _explorer(name: str) -> Explorer:
    language = load_languages().by_name[name]
    assert isinstance(language, Explores)
    return language.explorer()


def _names(language: str, file: str, text: str) -> FileNames:
    return _explorer(language).file_names(MemoryPackage({file: text}), PackageFile(file, text.encode()))


@pytest.mark.parametrize(
    ("language", "keys"),
    [
        (
            "inmanta",
            {
                "type __config__::Host",
                "attribute __config__::Host.name",
                "attribute __config__::Host.disks",
                "attribute __config__::Disk.host",
                "implementation __config__::setup",
                "variable __config__::a",
                "variable __config__::b",
            },
        ),
        (
            "tosca",
            {
                "type my.Web",
                "member my.Web.port",
                "input size",
                "node web",
                "member web.port",
                "member web.host",
            }
            | {"node server", "output url", "output address"},
        ),
        ("ccp", {"service shop", "container shop/web", "file conf"}),
        ("environment", {"part network", "part web"}),
    ],
)
def test_definitions(language: str, keys: set[str]) -> None:
    file, text = CASES[language]
    symbols = [*_names(language, file, text).all_symbols()]
    assert {symbol.key for symbol in symbols} == keys
    for symbol in symbols:
        assert text[symbol.span.start : symbol.span.end] == symbol.name


@pytest.mark.parametrize(
    ("language", "written", "key"),
    [
        ("inmanta", "std::Entity", "type std::Entity"),
        ("inmanta", "address::size", "function net::address::size"),
        ("inmanta", "disks", "member disks"),
        ("inmanta", "Host", "type __config__::Host"),
        ("tosca", "my.Web", "type my.Web"),
        ("tosca", "tosca:Compute", "type Compute"),
        ("tosca", "size", "input size"),
        ("tosca", "web", "node web"),
        ("tosca", "server", "node server"),
        ("ccp", "shop.port.cont", "setting shop.port"),
        ("ccp", "orders/db-sync", "command orders/db-sync"),
        ("ccp", "conf", "file conf"),
        ("environment", "network", "part network"),
    ],
)
def test_uses(language: str, written: str, key: str) -> None:
    file, text = CASES[language]
    mentions = _names(language, file, text).mentions
    assert any(text[use.span.start : use.span.end] == written and key in use.keys for use in mentions)


@pytest.mark.parametrize(
    ("language", "file", "text", "expected", "kinds"),
    [
        ("inmanta", "main.cf", "ent|", "entity", ("type ", "function ", "variable ", "implementation ")),
        ("inmanta", "main.cf", "x = std::|", None, ("type std::", "function std::", "variable std::")),
        ("inmanta", "main.cf", "x = a.|", None, ("attribute ",)),
        (
            "tosca",
            "t.yaml",
            "tosca_definitions_version: tosca_2_0\nnode_types:\n  a:\n    der|",
            "derived_from",
            (),
        ),
        ("tosca", "t.yaml", "topology_template:\n  node_templates:\n    a:\n      type: |", None, ("type ",)),
        ("tosca", "t.yaml", "a: {get_input: |", None, ("input ",)),
        ("tosca", "t.yaml", "node_templates:\n  a:\n    requirements:\n      - host: |", None, ("node ",)),
        ("ccp", "service/a.yaml", "service:\n  cont|", "containers", ()),
        ("ccp", "service/a.yaml", "service:\n  name: {{ sh|", None, ("setting ",)),
        ("environment", "sabir.yaml", "parts:\n  a:\n    lang|", "language", ()),
        ("environment", "sabir.yaml", "parts:\n  a:\n    language: |", "tosca", ()),
        ("environment", "sabir.yaml", "outputs:\n  a: {eval: '::|", None, ("part ",)),
    ],
)
def test_what_may_be_written_next(
    language: str, file: str, text: str, expected: str | None, kinds: tuple[str, ...]
) -> None:
    offset = text.index("|")
    typed = PackageFile(file, text.replace("|", "").encode())
    explorer = _explorer(language)
    texts = {candidate.text for candidate in explorer.candidates(MemoryPackage({file: text}), typed, offset)}
    assert expected in texts or (expected is None and not texts & {"entity", "containers"})
    assert tuple(explorer.completion_keys(typed, offset)) == kinds


@pytest.mark.parametrize("language", [*CASES, "muranopl"])
@given(data=st.data())
def test_half_typed_texts_have_names(language: str, data: st.DataObject) -> None:
    file, text = CASES.get(
        language, ("Classes/A.yaml", "Name: A\nMethods:\n  a:\n    Body:\n      - $.b()\n")
    )
    cut = data.draw(st.integers(0, len(text)))
    inserted = data.draw(st.sampled_from(["", "{", "[", ": ", '"', "{{", "- ", "\t", "&a ", "*a", "::", "."]))
    typed = text[:cut] + inserted + data.draw(st.sampled_from(["", text[cut:]]))
    package = MemoryPackage({file: typed})
    explorer, source = _explorer(language), PackageFile(file, typed.encode())
    names = explorer.file_names(package, source)
    for span in (*(use.span for use in names.mentions), *(symbol.span for symbol in names.all_symbols())):
        assert 0 <= span.start <= span.end <= len(typed)
    explorer.candidates(package, source, cut)
    explorer.completion_keys(source, cut)


@pytest.mark.parametrize("language", ["inmanta", "tosca", "muranopl"])
def test_libraries_have_definitions(language: str) -> None:
    file, text = CASES.get(language, ("manifest.yaml", "FullName: a.b\n"))
    explorer = _explorer(language)
    package = MemoryPackage({file: text})
    keys = {
        symbol.key
        for library in explorer.libraries(package)
        for name in library.list()
        for symbol in explorer.file_names(
            library, library.get_file(name) or PackageFile(name, b"")
        ).all_symbols()
    }
    expected = {
        "inmanta": {"type std::Entity", "function std::replace"},
        "tosca": {"type tosca.nodes.Compute"},
        "muranopl": {"class io.murano.Application", "class io.murano.applications.Event"},
    }
    assert expected[language] <= keys
