from __future__ import annotations

import pytest

from sabir.languages.muranopl import editor
from sabir.source.packages import MemoryPackage, PackageFile
from sabir.source.symbols import FileNames

CLASS = """\
Namespaces:
  =: org.example
  std: io.murano
Name: Web
Extends: std:Application
Properties:
  port:
    Contract: $.int().notNull()
Methods:
  deploy:
    Arguments:
      - host:
          Contract: $.class(std:Environment)
    Body:
      - $.port: 80
      - $host.reporter.report($this, $.port)
      - $.helper()
      - $x: new(:Other)
"""


def _names(text: str, name: str = "Classes/Web.yaml") -> FileNames:
    return editor.file_names(MemoryPackage({name: text}), PackageFile(name, text.encode()))


def _uses(names: FileNames, text: str) -> dict[str, tuple[str, ...]]:
    return {text[use.span.start : use.span.end]: use.keys for use in names.mentions}


def test_members_stand_in_their_class() -> None:
    (web,) = _names(CLASS).symbols
    assert (web.key, web.name, web.detail) == (
        "class org.example.Web",
        "Web",
        "org.example.Web extends io.murano.Application",
    )
    assert [(member.key, member.detail) for member in web.children] == [
        ("property org.example.Web.port", "port: $.int().notNull()"),
        ("method org.example.Web.deploy", "deploy(host: $.class(std:Environment))"),
    ]
    assert CLASS[web.span.start : web.span.end] == "Web"


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ("std:Application", ("class io.murano.Application",)),
        ("std:Environment", ("class io.murano.Environment",)),
        (":Other", ("class org.example.Other",)),
        ("port", ("property org.example.Web.port", "property io.murano.Application.port", "member port")),
        ("helper", ("method org.example.Web.helper", "method io.murano.Application.helper", "member helper")),
        ("reporter", ("member reporter",)),
        ("report", ("member report",)),
    ],
)
def test_uses(written: str, keys: tuple[str, ...]) -> None:
    assert _uses(_names(CLASS), CLASS)[written] == keys


def test_functions_of_contracts_are_no_members() -> None:
    assert {"int", "notNull", "class"}.isdisjoint(_uses(_names(CLASS), CLASS))


@pytest.mark.parametrize(
    "text",
    ["", "- a", "Name: [", "Name: Web\nMethods: 5\n", "Name: Web\nProperties:\n  a:\n    Contract: $.(\n"],
)
def test_broken_texts_have_names_as_far_as_they_go(text: str) -> None:
    for name in ("Classes/Web.yaml", "manifest.yaml", "UI/ui.yaml"):
        _names(text, name)


def test_a_manifest_names_its_classes() -> None:
    text = "FullName: org.example\nName: Shop\nClasses:\n  org.example.Web: Web.yaml\n"
    names = _names(text, "manifest.yaml")
    assert [symbol.key for symbol in names.symbols] == ["package org.example"]
    assert _uses(names, text) == {"org.example.Web": ("class org.example.Web",)}


def test_forms_have_fields_and_make_objects() -> None:
    text = (
        "Application:\n  ?:\n    type: org.example.Web\n"
        "Forms:\n  - main:\n      fields:\n        - name: port\n          type: integer\n"
    )
    names = _names(text, "UI/ui.yaml")
    assert [child.key for child in names.symbols[0].children] == ["field main.port"]
    assert _uses(names, text) == {"org.example.Web": ("class org.example.Web",)}


@pytest.mark.parametrize(
    ("file", "text", "expected", "kinds"),
    [
        ("Classes/Web.yaml", "Name: Web\nExt|", "Extends", []),
        ("Classes/Web.yaml", "Name: Web\nProperties:\n  a:\n    |", "Contract", []),
        ("Classes/Web.yaml", "Properties:\n  a:\n    Usage: I|", "InOut", []),
        ("Classes/Web.yaml", "Properties:\n  a:\n    Contract: $.|", "notNull", ["property ", "method "]),
        ("Classes/Web.yaml", "Methods:\n  a:\n    Body:\n      - Re|", "Return", ["class "]),
        ("Classes/Web.yaml", "Methods:\n  a:\n    Usage: |", "Action", []),
        ("manifest.yaml", "Type: |", "Application", []),
        (
            "UI/ui.yaml",
            "Forms:\n  - main:\n      fields:\n        - name: a\n          type: |",
            "password",
            [],
        ),
    ],
)
def test_what_may_be_written_next(file: str, text: str, expected: str, kinds: list[str]) -> None:
    offset = text.index("|")
    typed = PackageFile(file, text.replace("|", "").encode())
    package = MemoryPackage({file: text})
    assert expected in {candidate.text for candidate in editor.candidates(package, typed, offset)}
    assert [*editor.completion_keys(typed, offset)] == kinds
