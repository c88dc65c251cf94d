"""Package checks: one small package from a cold start, many in one process, one with many files."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.runner.workload import Measure, Workload

__all__ = ["WORKLOADS"]

CLASS = """\
Namespaces:
  =: com.example.bench
  std: io.murano
  res: io.murano.resources
  sys: io.murano.system

Name: {name}

Extends: std:Application

Properties:
  name:
    Contract: $.string().notNull()
  instance:
    Contract: $.class(res:LinuxMuranoInstance).notNull()
  ports:
    Contract:
      - $.int().notNull().check($ > 0)
    Default: [80, 443]

Methods:
  .init:
    Body:
      - $._environment: $.find(std:Environment).require()

  deploy:
    Body:
      - If: not $.getAttr(deployed, false)
        Then:
          - $._environment.reporter.report($this, 'Creating the VM')
          - $rules: $.ports.select(dict(ToPort => $, FromPort => $, IpProtocol => tcp, External => true))
          - $._environment.securityGroupManager.addGroupIngress($rules)
          - $.instance.deploy()
          - For: port
            In: $.ports
            Do:
              - $this.open(port => $port)
          - $.setAttr(deployed, true)

  open:
    Arguments:
      - port:
          Contract: $.int().notNull()
    Body:
      - $host: $.instance.ipAddresses[0]
      - $._environment.reporter.report($this, format('Listening on {{0}}:{{1}}', $host, $port))
      - Return: $host
"""
UI = """\
Version: 2.3
Application:
  ?:
    type: com.example.bench.Web0
  name: $.main.name
  instance:
    ?:
      type: io.murano.resources.LinuxMuranoInstance
    name: generateHostname($.main.unit, 1)
    flavor: $.main.flavor
Forms:
  - main:
      fields:
        - name: name
          type: string
          label: Name
          description: The name of the application
          required: true
        - name: unit
          type: string
          label: Host name
          description: How hosts are named
          initial: web-#
        - name: flavor
          type: flavor
          label: Flavor
          description: The size of the host
"""
LOGO = b"\x89PNG\r\n\x1a\n"


def package(classes: int) -> dict[str, str | bytes]:
    """An application that both checkers find clean."""
    names = [f"Web{number}" for number in range(classes)]
    listed = "".join(f"  com.example.bench.{name}: {name}.yaml\n" for name in names)
    manifest = (
        "Format: MuranoPL/1.3\nType: Application\nFullName: com.example.bench.Web0\nName: Web\n"
        f"Description: A web server\nAuthor: Example\nTags: [web]\nClasses:\n{listed}"
    )
    files: dict[str, str | bytes] = {
        "manifest.yaml": manifest,
        "UI/ui.yaml": UI,
        "logo.png": LOGO,
        "LICENSE": "x\n",
    }
    return {**files, **{f"Classes/{name}.yaml": CLASS.format(name=name) for name in names}}


def _write(path: Path, classes: int) -> None:
    import zipfile

    with zipfile.ZipFile(path, "w") as archive:
        for name, content in package(classes).items():
            archive.writestr(name, content)


def generate_packages(size: int, folder: Path) -> None:
    for number in range(size):
        _write(folder / f"{number:05}.zip", 1)


def generate_files(size: int, folder: Path) -> None:
    _write(folder / "00000.zip", size)


def commands(folder: str, _size: int) -> Callable[[], Any]:
    """The command on each archive; the sum of the exit codes."""

    def run() -> int:
        import contextlib
        import io

        from sabir.cli.mpl_check import main

        with contextlib.redirect_stderr(io.StringIO()), contextlib.redirect_stdout(io.StringIO()):
            return sum(main([str(path)]) for path in sorted(Path(folder).glob("*.zip")))

    return run


def many(folder: str, _size: int) -> Callable[[], Any]:
    """All archives in one process; the number of findings."""

    def run() -> int:
        from sabir.operations.check import check_paths

        result = check_paths(sorted(Path(folder).glob("*.zip")))
        return sum(1 for _ in result.report.findings())

    return run


WORKLOADS = (
    Workload(
        name="check-cold",
        about="mpl-check of one small package, from the start of the process",
        sizes=(1,),
        generate=generate_packages,
        sabir="benchmarks.check:commands",
        peer="check_peer.py:commands",
        measure=Measure.PROCESS,
        tiny=1,
    ),
    Workload(
        name="check-many",
        about="small packages checked in one process, its start included",
        sizes=(200,),
        generate=generate_packages,
        sabir="benchmarks.check:many",
        peer="check_peer.py:many",
        measure=Measure.PROCESS,
    ),
    Workload(
        name="check-files",
        about="class files of one package",
        sizes=(10, 100, 1000),
        generate=generate_files,
        sabir="benchmarks.check:many",
        peer="check_peer.py:many",
    ),
)
