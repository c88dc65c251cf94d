"""Published modules: each compiled and exported by the existing compiler and by sabir, and compared.

    python -m tests.corpora.inmanta_modules ENVIRONMENTS [-k TEXT] [--std ours|installed]

ENVIRONMENTS holds a virtual environment for each module (its name is that of the folder), with the module from the package
index, inmanta-core and sabir. `modules/<name>.cf` beside this file is the model that is compiled there. Equal are the
instances with their values, the variables of the model, and the fields of every exported resource. With our own `std`,
what it has beside the installed one (relations of `std::Host` to files, packages, services) is left out.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Final, Literal

from msgspec import Struct

__all__ = ["Comparison", "compared"]

_HERE: Final = Path(__file__).parent
_OF_OUR_HOSTS: Final = ("packages", "services", "files", "directories", "symlinks")
_PROJECT: Final = "name: project\nmodulepath: libs\ndownloadpath: libs\nrepo: []\n"


class Comparison(Struct, frozen=True, kw_only=True):
    module: str
    there: str
    """`compiles`, or the error of the existing compiler."""
    differences: tuple[str, ...] = ()
    instances: int = 0
    resources: int = 0


def compared(name: str, environment: Path, std: str) -> Comparison:
    """One module in its environment, by both."""
    with tempfile.TemporaryDirectory(prefix="sabir-modules-") as scratch:
        project = Path(scratch).resolve()
        (project / "libs").mkdir()
        (project / "project.yml").write_text(_PROJECT, encoding="utf-8")
        model = (_HERE / "modules" / f"{name}.cf").read_text(encoding="utf-8")
        (project / "main.cf").write_text(model, encoding="utf-8")
        theirs = _run(environment, [str(_HERE / "inmanta_oracle.py"), str(project)])
        ours = _run(
            environment, ["-m", "tests.corpora.inmanta_modules", "--dump", "--std", std, str(project)]
        )
    return _verdict(name, theirs, ours)


def _run(environment: Path, words: list[str]) -> dict[str, Any]:
    done = subprocess.run(
        [str(environment / "bin" / "python"), *words],
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
        cwd=_HERE.parent.parent,
    )
    try:
        answer: dict[str, Any] = json.loads(done.stdout)
    except ValueError:
        return {"error": {"class": "crash", "text": (done.stderr or done.stdout)[-2000:]}}
    return answer


def _verdict(name: str, theirs: dict[str, Any], ours: dict[str, Any]) -> Comparison:
    if "error" in theirs:
        text = f"{theirs['error']['class']}: {theirs['error']['text'].splitlines()[0]}"
        here = () if "error" in ours else ("compiles here",)
        return Comparison(module=name, there=text, differences=here)
    if "error" in ours:
        return Comparison(module=name, there="compiles", differences=(str(ours["error"]["text"]),))
    return Comparison(
        module=name,
        there="compiles",
        differences=(*_graphs(theirs, ours), *_exports(theirs, ours)),
        instances=len(ours["instances"]),
        resources=len(ours.get("resources", ())),
    )


def _graphs(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    from tests.corpora.inmanta_suite import colours_of_outcome

    their_colours, their_variables = colours_of_outcome(theirs)
    our_colours, our_variables = colours_of_outcome(ours)
    for variable in sorted({*their_variables, *our_variables}):
        if their_variables.get(variable) != our_variables.get(variable):
            yield (
                f"variable {variable}: there {their_variables.get(variable)}, here {our_variables.get(variable)}"
            )
    for text in (their_colours - our_colours).elements():
        yield f"instance only there: {text}"
    for text in (our_colours - their_colours).elements():
        yield f"instance only here: {text}"


def _exports(theirs: dict[str, Any], ours: dict[str, Any]) -> Iterator[str]:
    if "export_error" in theirs or "export_error" in ours:
        if ("export_error" in theirs) is not ("export_error" in ours):
            yield f"export: there {theirs.get('export_error')}, here {ours.get('export_error')}"
        return
    left, right = theirs["resources"], ours["resources"]
    for identity in sorted({*left, *right}):
        if left.get(identity) != right.get(identity):
            yield f"resource {identity}: {_fields(left.get(identity), right.get(identity))}"


def _fields(left: Mapping[str, Any] | None, right: Mapping[str, Any] | None) -> str:
    if left is None or right is None:
        return "only here" if left is None else "only there"
    return "; ".join(
        f"{name}: there {left.get(name, 'nothing')!r}, here {right.get(name, 'nothing')!r}"
        for name in sorted({*left, *right})
        if left.get(name, ...) != right.get(name, ...)
    )


# Our side, run by the Python of the environment


def _dump(project: Path, std: Literal["ours", "installed"]) -> dict[str, Any]:
    from sabir.diagnostics.finding import Severity
    from sabir.languages.inmanta.evaluate.model import evaluate_package
    from sabir.languages.inmanta.graph.export import export_model
    from sabir.session import Session, Trust
    from sabir.source.packages.load import load_package
    from tests.corpora.inmanta_suite import written_outcome

    session = Session(trust=Trust(python=True, env=True))
    model = evaluate_package(load_package(project), session=session, std=std)
    errors = [finding for finding in model.findings if finding.severity is Severity.ERROR]
    if errors:
        return {"error": {"class": "finding", "text": f"{errors[0].location}: {errors[0].message}"}}
    outcome = written_outcome(model)
    for _, properties in outcome["instances"]:
        if std == "ours" and "host_config" in properties:
            for relation in _OF_OUR_HOSTS:
                properties.pop(relation)
    export = export_model(model)
    failures = [finding for finding in export.findings if finding.severity is Severity.ERROR]
    if failures:
        return {**outcome, "export_error": f"{failures[0].location}: {failures[0].message}"}
    rows = {row.pop("id").rpartition(",v=")[0]: row for row in export.resource_data()}
    for row in rows.values():
        row.pop("version")
    return {**outcome, "resources": rows}


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.corpora.inmanta_modules", description=__doc__)
    parser.add_argument("environments", type=Path)
    parser.add_argument("-k", metavar="TEXT", dest="only", help="only modules whose name contains this text")
    parser.add_argument("--std", choices=("ours", "installed"), default="ours")
    parser.add_argument("--most", type=int, default=6, help="so many differences are shown")
    parser.add_argument("--width", type=int, default=600, help="so much of each difference is shown")
    parser.add_argument("--dump", action="store_true", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.dump:
        json.dump(_dump(arguments.environments, arguments.std), sys.stdout)
        return 0
    failed = 0
    for model in sorted((_HERE / "modules").glob("*.cf")):
        environment = arguments.environments / model.stem.replace("_", "-")
        if not environment.is_dir() or (arguments.only is not None and arguments.only not in model.stem):
            continue
        row = compared(model.stem, environment, arguments.std)
        failed += bool(row.differences)
        verdict = "same" if not row.differences else f"{len(row.differences)} differences"
        print(
            f"{row.module:12} {row.there[:90]:20} {verdict} ({row.instances} instances, {row.resources} resources)"
        )
        for difference in row.differences[: arguments.most]:
            print(f"    {difference[: arguments.width]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
