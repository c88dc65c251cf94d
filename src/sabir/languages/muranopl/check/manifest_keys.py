"""Checks of the keys of a manifest and of the form of their values (spec 001, "Manifest structure")."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Final

from sabir.diagnostics.finding import Finding
from sabir.diagnostics.rules import Rule
from sabir.diagnostics.suggestions import suggest
from sabir.languages.muranopl.check.names import FORMATS, is_dotted_name, is_identifier, is_lower_camel
from sabir.languages.muranopl.examples import package_rule
from sabir.languages.muranopl.syntax.manifest import VersionError, read_version, read_version_spec
from sabir.languages.muranopl.syntax.report import FileReporter, kind_of, quote_node
from sabir.languages.muranopl.syntax.values import (
    MISSING_KEY,
    NO_TEXT,
    UNKNOWN_SECTION,
    build_quote_fix,
    is_null,
    meta_shape,
    one_of,
    report_unknown_keys,
    string_value,
)
from sabir.source.packages.file_access import name_defect
from sabir.source.yaml.nodes import YamlMapping, YamlNode, YamlScalar, YamlSequence, text_of

# The engine also reads Supplier (the vendor of the application); spec 001 does not list it.
MANIFEST_KEYS: Final = frozenset(
    [
        "Format",
        "Type",
        "Name",
        "FullName",
        "Version",
        "Description",
        "Author",
        "Tags",
        "Classes",
        "Require",
        "UI",
        "Logo",
        "Meta",
        "Supplier",
    ]
)
MANIFEST_TYPES: Final = ("Application", "Library")

REQUIRE_FORM: Final = package_rule(
    "MAN:E005",
    "Require is malformed",
    "Require maps the full names of other packages to the versions that will do.",
)
DESCRIPTION_FORM: Final = package_rule(
    "MAN:E030",
    "Description is no text",
    "The description is shown to people in the catalogue.",
)
UNKNOWN_FORMAT: Final = package_rule(
    "MAN:W030",
    "an unknown format",
    "Format names the language of the package: MuranoPL/1.0 to MuranoPL/1.4 or Heat.HOT/1.0; a bare number is a "
    "version of MuranoPL. Classes and forms of any other format are not checked.",
    fixable=True,
)
TAGS_FORM: Final = package_rule(
    "MAN:E070",
    "Tags is no list",
    "Tags is a list of texts, also when there is only one.",
    fixable=True,
)
TYPE_OR_VERSION: Final = package_rule(
    "MAN:E071",
    "Type or Version has no valid value",
    "Type is Application or Library. Version is a semantic version; short forms such as 1.2 are completed.",
    fixable=True,
)
UI_FORM: Final = package_rule(
    "MAN:E072",
    "UI is no file name",
    "UI names the file of the user interface below the folder UI/.",
)
FULL_NAME_FORM: Final = package_rule(
    "MAN:E073",
    "FullName is malformed",
    "The full name identifies the package everywhere: names separated by dots, letters, digits and underscores.",
)
LOGO_OR_CLASSES_FORM: Final = package_rule(
    "MAN:E074",
    "Logo or Classes has the wrong type",
    "Logo is a file name; Classes is a mapping of class names to files.",
)
TAG_FORM: Final = package_rule(
    "MAN:E075",
    "a tag is no text",
    "Tags are texts; put numbers in quotes.",
    fixable=True,
)
REQUIRED_VERSION: Final = package_rule(
    "MAN:E076",
    "a required version is malformed",
    "A requirement is nothing (any version), a version (1, 2.3, 4.5.6) or a range (>=1.2,<2).",
)
CLASSES_ENTRY: Final = package_rule(
    "MAN:E077",
    "an entry of Classes is malformed",
    "The keys of Classes are qualified class names, its values file names.",
)
META_FORM: Final = package_rule(
    "MAN:E078",
    "Meta of the manifest is malformed",
    "Meta is a mapping, or a list of mappings, of meta-classes to their properties.",
)
CLASS_FILE_OUTSIDE: Final = package_rule(
    "MAN:E079",
    "a class file outside of Classes/",
    "Class files lie below the folder Classes/ of the package; no name may lead out of it.",
)
FULL_NAME_CASE: Final = package_rule(
    "MAN:W080",
    "a full name that is not in lowerCamelCase",
    "The document recommends it; most published packages end in the name of a class, with a capital.",
    off_by_default=True,
)


def _report_missing_key(report: FileReporter, manifest: YamlMapping, key: str) -> Finding:
    message = f"the manifest lacks its key {key}"
    for written in manifest:
        if text_of(written) not in MANIFEST_KEYS and suggest(text_of(written) or "", MANIFEST_KEYS) == key:
            return report.at(written, MISSING_KEY, message, hint=f"is {text_of(written)!r} meant for it?")
    return report.whole(MISSING_KEY, message)


def check_keys(report: FileReporter, manifest: YamlMapping, *, foreign: bool = False) -> Iterator[Finding]:
    """Report unknown and missing keys of the manifest, and malformed values."""
    if not foreign:
        yield from report_unknown_keys(
            report, manifest, MANIFEST_KEYS, code=UNKNOWN_SECTION, what="a manifest"
        )
    for key in ("Type", "FullName"):
        if manifest.get(key) is None:
            yield _report_missing_key(report, manifest, key)
    yield from check_format(report, manifest.get("Format"))
    yield from one_of(
        report, manifest.get("Type"), MANIFEST_TYPES, code=TYPE_OR_VERSION, what="Type", required=True
    )
    for key, rule in (
        ("Name", NO_TEXT),
        ("Author", NO_TEXT),
        ("Description", DESCRIPTION_FORM),
        ("UI", UI_FORM),
        ("Logo", LOGO_OR_CLASSES_FORM),
    ):
        yield from string_value(report, manifest, key, code=rule)
    yield from check_full_name(report, manifest.get("FullName"))
    yield from check_version(report, manifest.get("Version"))
    yield from check_tags(report, manifest.get("Tags"))
    yield from check_require(report, manifest.get("Require"))
    yield from meta_shape(report, manifest, code=META_FORM)


def check_format(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report an unknown `Format`; a bare number is a version of MuranoPL."""
    if value is None or is_null(value):
        return
    text = value.text if isinstance(value, YamlScalar) else ""
    name, slash, version = text.partition("/")
    if not slash and re.fullmatch(r"[0-9.]+", name):
        name, slash, version = "MuranoPL", "/", name
    if name not in FORMATS:
        message = f"{quote_node(value)} is no format that is known here; the classes and forms of the package are not checked"
        candidates = [f"{candidate}/{version or '1.0'}" for candidate in FORMATS]
        yield report.report_unknown(value, UNKNOWN_FORMAT, message, candidates)
    elif slash and tuple(version.split(".")) not in {tuple(map(str, number)) for number in FORMATS[name]} | {
        ("1",)
    }:
        newest = ".".join(map(str, FORMATS[name][-1]))
        written = version if len(version) <= 40 else version[:40] + "…"
        message = f"{name} has no version {written!r}; the package is checked as version {newest}"
        yield report.at(value, UNKNOWN_FORMAT, message, hint=f"the versions go up to {newest}")


def check_full_name(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report a `FullName` that is not a dotted name, or is not in lowerCamelCase."""
    if value is None:
        return
    text = text_of(value)
    if text is None or not is_dotted_name(text):
        hint = "write names separated by dots, as in com.example.web.Site"
        yield report.at(value, FULL_NAME_FORM, f"FullName cannot be {quote_node(value)}", hint=hint)
    elif not is_lower_camel(text):
        hint = "begin every part with a small letter"
        yield report.at(value, FULL_NAME_CASE, f"FullName {text!r} is not in lowerCamelCase", hint=hint)


def check_version(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report a `Version` that is not SemVer. Short forms are completed (S-23), so a number is accepted too."""
    if value is not None and not is_null(value) and not _can_be_read(read_version, value):
        hint = "write MAJOR.MINOR.PATCH, as in 1.2.0"
        yield report.at(value, TYPE_OR_VERSION, f"Version cannot be {quote_node(value)}", hint=hint)


def check_tags(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report `Tags` that are not a list of strings. A single word has a fix that makes it a list."""
    if value is None or is_null(value):
        return
    if not isinstance(value, YamlSequence):
        message = f"Tags must be a list, not {kind_of(value)}"
        fix = None
        if is_identifier(text_of(value) or ""):
            fix = report.build_replace_fix(value, f"[{text_of(value)}]", title="make it a list", safe=True)
        yield report.at(value, TAGS_FORM, message, hint="write Tags: [one, two]", fix=fix)
        return
    for item in value.items:
        if text_of(item) is None:
            message = f"a tag must be a text, not {kind_of(item)}"
            yield report.at(item, TAG_FORM, message, fix=build_quote_fix(report, item))


def check_require(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report entries of `Require` that are not package names with version ranges."""
    hint = "write Require as package names with their versions: {com.example.lib: 1.2}"
    entries = yield from _check_section(report, value, "Require", REQUIRE_FORM, hint)
    for key, wanted in entries:
        name = text_of(key)
        if name is None or not is_dotted_name(name):
            yield report.at(key, REQUIRE_FORM, f"{quote_node(key)} is no name of a package")
        else:
            yield from check_version_spec(report, name, wanted)


def check_version_spec(report: FileReporter, name: str, value: YamlNode) -> Iterator[Finding]:
    """Report a version range of a required package that cannot be parsed."""
    if not _can_be_read(read_version_spec, value):
        hint = "leave it empty, or write a version (1.2) or a range (>=1.2,<2)"
        yield report.at(value, REQUIRED_VERSION, f"{quote_node(value)} is no version of {name}", hint=hint)


def _can_be_read(read: Callable[[YamlNode], object], value: YamlNode) -> bool:
    try:
        read(value)
    except VersionError:
        return False
    return True


def check_classes(report: FileReporter, value: YamlNode | None) -> Iterator[Finding]:
    """Report entries of `Classes` that are not qualified names with files under `Classes/`."""
    hint = "write class names with their files: {com.example.Site: Site.yaml}"
    entries = yield from _check_section(report, value, "Classes", LOGO_OR_CLASSES_FORM, hint)
    for key, file in entries:
        name, path = text_of(key), text_of(file)
        if name is None or not is_dotted_name(name):
            yield report.at(key, CLASSES_ENTRY, f"{quote_node(key)} is no qualified class name")
        if path is None:
            yield report.at(
                file,
                CLASSES_ENTRY,
                f"the file of class {quote_node(key)} must be a text, not {kind_of(file)}",
            )
        elif not is_class_file(file):
            yield report.at(file, CLASS_FILE_OUTSIDE, f"the class file {path!r} leaves the folder Classes/")


def _check_section(
    report: FileReporter, value: YamlNode | None, section: str, rule: Rule, hint: str
) -> Generator[Finding, None, Iterable[tuple[YamlNode, YamlNode]]]:
    """Yield findings about the form of an optional section; return its entries, none if it is not a mapping."""
    if value is None or is_null(value):
        return ()
    if not isinstance(value, YamlMapping):
        yield report.at(value, rule, f"{section} must be a mapping, not {kind_of(value)}", hint=hint)
        return ()
    return value.items()


def is_class_file(value: YamlNode) -> bool:
    """Tell whether a value of `Classes` names a file under `Classes/`; the file need not exist."""
    path = text_of(value)
    if path is None or name_defect(path) == "is absolute":
        return False
    return posixpath.normpath(posixpath.join("Classes", path.replace("\\", "/"))).startswith("Classes/")
