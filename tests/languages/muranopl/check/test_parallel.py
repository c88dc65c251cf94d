"""A package of many files, checked by several processes."""

from __future__ import annotations

from pathlib import Path

from sabir.operations.check import CheckResult, check_paths

FILES = 80
CLASS = """\
Namespaces: {{=: com.example.many, std: io.murano}}
Name: C{number}
Extends: {parent}
Properties:
  port: {{Contract: $.int(), Usage: {usage}}}
Methods:
  run:
    Body:
      - $.port: 1
      - Return: $.prot  # sabir: ignore[MPL:E113] shown in the next test
"""


def package(folder: Path) -> Path:
    listed = "".join(f"  com.example.many.C{number}: C{number}.yaml\n" for number in range(FILES))
    (folder / "Classes").mkdir(parents=True)
    (folder / "LICENSE").touch()
    (folder / "manifest.yaml").write_text(
        f"Format: MuranoPL/1.4\nType: Library\nFullName: com.example.many\nName: Many\nClasses:\n{listed}"
    )
    for number in range(FILES):
        parent = "C2" if number == 1 else "C1" if number == 2 else "std:Object"
        text = CLASS.format(number=number, parent=parent, usage="Inn" if number % 7 == 3 else "Out")
        (folder / f"Classes/C{number}.yaml").write_text(text if number != 50 else "a: [\n")
    return folder


def shown(result: CheckResult) -> list[tuple[object, ...]]:
    return [(*finding.sort_key, finding.hint, repr(finding.fix)) for _, finding in result.report.findings()]


def test_the_files_of_a_package_are_shared_out(tmp_path: Path) -> None:
    path = package(tmp_path / "many")
    alone, shared = (check_paths([path], jobs=jobs) for jobs in (1, 2))
    assert shown(alone) == shown(shared)
    assert alone.report.suppressed == shared.report.suppressed == FILES - 1
    assert dict(shared.report.statistics()) == {"MPL:E042": 11, "MPL:E117": 1, "E002": 1}
