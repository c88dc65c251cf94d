"""Murano packages: good ones whose manifest, class files, UI definition or archive is damaged.

Whatever the files: the check ends within seconds with findings that have known codes and places inside their files; no
check fails itself (E000), nothing is raised.
"""

from __future__ import annotations

import io
import random
import traceback
import zipfile
from collections.abc import Mapping
from typing import Any

from sabir.checks.application import general_rules
from sabir.checks.options import CheckOptions
from sabir.checks.report import Report
from sabir.languages.muranopl.check import package_rules
from sabir.operations.check import check_package, check_upload
from sabir.operations.fix import fix_texts
from sabir.source.packages import MemoryPackage
from sabir.source.packages.views import EditedPackage
from tests.fuzz.judging import complaint
from tests.languages.muranopl.example_packages import APPLICATION, LIBRARY

__all__ = ["archive_of", "check_archive", "check_files", "mutated", "run"]

_SECONDS = 5.0
_WORDS = (
    *(
        "Name: ",
        "Namespaces:",
        "=: ",
        "Extends: ",
        "Methods:",
        "Properties:",
        "Body:",
        "Arguments:",
        "Usage: Meta",
    ),
    *(
        "Contract: $.int()",
        "Default: ",
        "Meta: [1]",
        "Scope: Public",
        "Workflow:",
        "Import: [a:B, ':C']",
        "Require: ",
    ),
    *(
        "If: ",
        "Then:",
        "While: $",
        "For: x",
        "In: $",
        "Do:",
        "Match:",
        "Switch:",
        "Try:",
        "Catch:",
        "With: ",
        "As: e",
    ),
    *(
        "Return: ",
        "Throw: ",
        "Break:",
        "Parallel:",
        "Repeat: 3",
        "Limit: $",
        "Finally:",
        "Rethrow:",
        "Classes: ",
    ),
    *(
        "Forms:",
        "fields:",
        "- name: x",
        "type: string",
        "validators:",
        "- expr: $",
        "Templates:",
        "Application:",
    ),
    *(
        "?:",
        "type: com.example.web.Site",
        "$.x: 1",
        "$x[0]: $",
        "$.a.b(c => $)",
        "$.select($.x)",
        "!yaql '$'",
    ),
    *("Format: MuranoPL/1.4", "Format: Heat.HOT/1.0", "Version: 1.x", "UI: [a]", "Logo: 5", "Type: Library"),
)
_NOISE = (
    *(
        "\t",
        "\n",
        "  ",
        "- ",
        ": ",
        "'",
        '"',
        "{",
        "}",
        "[",
        "]",
        "&a ",
        "*a",
        "!!python/none ",
        "|\n",
        ">-\n",
        "#",
    ),
    *(
        "\x00",
        "\udce9",
        "\ufeff",
        "é",
        "\u2028",
        "%YAML 1.2\n",
        "---\n",
        "...\n",
        "<<: *a",
        "? ",
        "~",
        "null",
        "0x1f",
    ),
    *(
        "1e999",
        "9" * 40,
        "2001-01-01",
        "yes",
        "$",
        "$.",
        "..",
        "../x",
        "/etc/passwd",
        "=>",
        "->",
        "::",
        ":",
        "$(" * 30,
    ),
)


def mutated(files: Mapping[str, str], source: random.Random) -> dict[str, str]:
    """The files with a few pieces removed, doubled, moved or put in, and now and then a file renamed or lost."""
    made = dict(files)
    for _ in range(source.randint(1, 5)):
        name = source.choice(list(made) or ["manifest.yaml"])
        text = made.get(name, "")
        match source.randint(0, 9):
            case 0:
                made.pop(name, None)
            case 1:
                made[source.choice(_NAMES)] = text
            case 2 | 3 | 4:
                made[name] = _lines(text, source)
            case _:
                made[name] = _characters(text, source)
    return made


_NAMES = (
    "Classes/a.yaml",
    "Classes/b/c.yaml",
    "UI/ui.yaml",
    "manifest.yaml",
    "template.yaml",
    "Resources/x",
    "logo.png",
)


def _lines(text: str, source: random.Random) -> str:
    """A line removed, doubled, moved, indented otherwise or replaced by words of the language."""
    lines = text.splitlines() or [""]
    at = source.randrange(len(lines))
    match source.randint(0, 4):
        case 0:
            del lines[at]
        case 1:
            lines.insert(source.randrange(len(lines) + 1), lines[at])
        case 2:
            lines[at] = " " * source.randint(0, 12) + lines[at].lstrip()
        case 3:
            lines[at] = lines[at].partition(":")[0] + ": " + source.choice((*_NOISE, *_WORDS))
        case _:
            indent = " " * (2 * source.randint(0, 5))
            lines.insert(at, indent + source.choice(("", "- ")) + source.choice(_WORDS))
    return "\n".join(lines) + "\n"


def _characters(text: str, source: random.Random) -> str:
    at = source.randint(0, len(text))
    to = min(len(text), at + source.randint(0, 8))
    piece = source.choice(
        ("", text[at:to] * 2, source.choice(_NOISE), source.choice(_WORDS), text[at:to][::-1])
    )
    return text[:at] + piece + text[to:]


def check_files(files: Mapping[str, str]) -> str | None:
    """What is wrong with the treatment of a package; None when all is well."""
    problem = complaint(
        lambda: _wrong(check_package(MemoryPackage(files), _OPTIONS)) or _badly_mended(files),
        seconds=_SECONDS,
    )
    return f"{problem}\n{dict(files)!r}" if problem else None


def _badly_mended(files: Mapping[str, str]) -> str | None:
    """What is wrong with the repairs: they may make no file unreadable, and they come to an end."""
    before = MemoryPackage(files)
    texts = {name: one.text for name, one in fix_texts(before, _OPTIONS, unsafe=True).items()}
    after = EditedPackage(before, texts)
    for name in texts:
        one, other = before.get_file(name), after.get_file(name)
        if one is None or other is None or (other.yaml.broken and not one.yaml.broken):
            return f"a repair broke {name}: {texts[name]!r}"
    again = fix_texts(after, _OPTIONS, unsafe=True)
    return f"repairs without end: {again!r}" if again else None


def _wrong(report: Report) -> str | None:
    for _, finding in report.findings():
        if finding.code == "E000" or finding.code not in _CODES:
            return f"{finding.code}: {finding.message}"
        place = finding.place
        if not 0 <= place.span.start <= place.span.end <= len(place.source.text):
            return f"{finding.code} lies outside of its file: {place.span}"
        if not finding.message or len(finding.message) > 600:
            return f"{finding.code} has the message {finding.message!r}"
    return None


_OPTIONS = CheckOptions(language="muranopl")
_CODES = frozenset(code.code for code in (*package_rules(), *general_rules()))


def check_archive(data: bytes) -> str | None:
    """The same for the bytes of an archive, as an upload has them."""
    try:
        answer = check_upload(data)
    except Exception:  # noqa: BLE001 - the very thing that is looked for
        return f"{traceback.format_exc()[-1200:]}\n{data!r}"
    findings: list[Any] = answer.body["findings"]
    if answer.status not in (200, 400) or any(one["code"] == "E000" for one in findings):
        return f"{answer}\n{data!r}"
    return None


def archive_of(files: Mapping[str, str]) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as archive:
        for name, text in files.items():
            archive.writestr(name, text.encode("utf-8", "surrogateescape"))
    return stream.getvalue()


def _damaged_archive(files: Mapping[str, str], source: random.Random) -> bytes:
    names = {name: source.choice((name, name, name, f"../{name}", f"a\\{name}", "x" * 300)) for name in files}
    data = bytearray(archive_of({names[name]: text for name, text in files.items()}))
    for _ in range(source.randint(0, 6)):
        data[source.randrange(len(data))] = source.randrange(256)
    return bytes(data[: source.choice((len(data), len(data), source.randrange(len(data))))])


def run(count: int, seed: int) -> list[str]:
    """Failures among `count` packages; every eighth one is an archive with damaged bytes."""
    source = random.Random(seed)
    failures: list[str] = []
    for number in range(count):
        files = mutated(source.choice((APPLICATION, LIBRARY)), source)
        failure = check_archive(_damaged_archive(files, source)) if number % 8 == 7 else check_files(files)
        if failure:
            failures.append(failure)
    return failures
