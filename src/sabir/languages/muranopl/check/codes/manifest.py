"""Codes of the manifest."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.check.codes.examples import APPLICATION, LIBRARY, changed, code, with_manifest

__all__ = ["CODES"]

_CLASSES: Final = "Classes:\n  com.example.tools.Counter: Counter.yaml\n"
_LIBRARY_WITH_LOGO: Final = with_manifest("Tags:", "Logo: icon.png\nTags:", more={"icon.png": "GIF89a"})

CODES: Final[tuple[Rule, ...]] = (
    code(
        "MAN:E005",
        "Require is malformed",
        "Require maps the full names of other packages to the versions that will do.",
        with_manifest("Tags:", "Require: [com.example.lib]\nTags:"),
        good=with_manifest("Tags:", "Require: {com.example.lib: 1.2}\nTags:"),
    ),
    code(
        "MAN:E030",
        "Description is no text",
        "The description is shown to people in the catalogue.",
        with_manifest("Tags:", "Description: [a, b]\nTags:"),
    ),
    code(
        "MAN:W030",
        "an unknown format",
        "Format names the language of the package: MuranoPL/1.0 to MuranoPL/1.4 or Heat.HOT/1.0; a bare number is a "
        "version of MuranoPL. Classes and forms of any other format are not checked.",
        with_manifest("Format: MuranoPL/1.4", "Format: MuranoPl/1.4"),
        fixable=True,
    ),
    code(
        "MAN:E050",
        "a listed class file does not exist",
        "Classes maps each class to a file below the folder Classes/. A missing one is found only when somebody deploys "
        "the class.",
        with_manifest("Counter.yaml", "Conuter.yaml"),
        fixable=True,
    ),
    code(
        "MAN:W020",
        "a class file that the manifest does not list",
        "The engine loads only what the manifest lists, so the classes of this file do not exist for it.",
        {**LIBRARY, "Classes/Old.yaml": "Name: Old\n"},
        fixable=True,
    ),
    code(
        "MAN:E070",
        "Tags is no list",
        "Tags is a list of texts, also when there is only one.",
        with_manifest("Tags: [tools]", "Tags: tools"),
        fixable=True,
    ),
    code(
        "MAN:E071",
        "Type or Version has no valid value",
        "Type is Application or Library. Version is a semantic version; short forms such as 1.2 are completed.",
        with_manifest("Type: Library", "Type: library"),
        fixable=True,
    ),
    code(
        "MAN:E072",
        "UI is no file name",
        "UI names the file of the user interface below the folder UI/.",
        with_manifest("Tags:", "UI: [ui.yaml]\nTags:"),
    ),
    code(
        "MAN:E073",
        "FullName is malformed",
        "The full name identifies the package everywhere: names separated by dots, letters, digits and underscores.",
        with_manifest("FullName: com.example.tools", "FullName: com..tools"),
    ),
    code(
        "MAN:W073",
        "an application without its user interface",
        "The catalogue shows UI/ui.yaml (or the file that UI names) to whoever adds the application. Without it nobody "
        "can fill in its properties.",
        {name: text for name, text in APPLICATION.items() if name != "UI/ui.yaml"},
        good=APPLICATION,
    ),
    code(
        "MAN:E074",
        "Logo or Classes has the wrong type",
        "Logo is a file name; Classes is a mapping of class names to files.",
        with_manifest(_CLASSES, "Classes: [Counter.yaml]\n"),
    ),
    code(
        "MAN:W074",
        "an application without its logo",
        "The catalogue shows logo.png (or the file that Logo names).",
        changed(APPLICATION, "manifest.yaml", "Name: Site", "Name: Site\nLogo: icon.png"),
        good=LIBRARY,
    ),
    code(
        "MAN:E075",
        "a tag is no text",
        "Tags are texts; put numbers in quotes.",
        with_manifest("Tags: [tools]", "Tags: [tools, 7]"),
        good=with_manifest("Tags: [tools]", "Tags: [tools, '7']"),
        fixable=True,
    ),
    code(
        "MAN:W075",
        "the logo is no PNG image",
        "The catalogue serves the logo as PNG; browsers will not show another format.",
        _LIBRARY_WITH_LOGO,
    ),
    code(
        "MAN:E076",
        "a required version is malformed",
        "A requirement is nothing (any version), a version (1, 2.3, 4.5.6) or a range (>=1.2,<2).",
        with_manifest("Tags:", "Require: {com.example.lib: '>>1'}\nTags:"),
        good=with_manifest("Tags:", "Require: {com.example.lib: '>=1,<2'}\nTags:"),
    ),
    code(
        "MAN:E077",
        "an entry of Classes is malformed",
        "The keys of Classes are qualified class names, its values file names.",
        with_manifest("com.example.tools.Counter:", "com.example tools:"),
    ),
    code(
        "MAN:E078",
        "Meta of the manifest is malformed",
        "Meta is a mapping, or a list of mappings, of meta-classes to their properties.",
        with_manifest("Tags:", "Meta: title\nTags:"),
    ),
    code(
        "MAN:E079",
        "a class file outside of Classes/",
        "Class files lie below the folder Classes/ of the package; no name may lead out of it.",
        with_manifest("Counter.yaml", "../Counter.yaml"),
    ),
    code(
        "MAN:W080",
        "a full name that is not in lowerCamelCase",
        "The document recommends it; most published packages end in the name of a class, with a capital.",
        with_manifest("FullName: com.example.tools", "FullName: com.example.Tools"),
        off_by_default=True,
    ),
)
