"""Components on the search path: they are read here, and checked when somebody asks for them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from msgspec import structs

from sabir.diagnostics.finding import Severity
from sabir.languages.ccp.syntax.deployment import Deployment
from sabir.languages.ccp.syntax.fault import Fault
from sabir.source.packages import LoadedPackage
from sabir.text import Place, Source

__all__ = ["about_package"]


def about_package(faults: Iterable[Fault], package: LoadedPackage, deployment: Deployment) -> Iterator[Fault]:
    """What is said about the package and its configuration.

    Of errors in the components beside it only the first is said: while there are any, the deployment as a whole cannot be
    judged.
    """
    others = {component.package for component in deployment.components} - {package}
    errors: list[Fault] = []
    for fault in faults:
        home = _home(fault, package, others)
        if home is None:
            yield fault
        elif fault.severity is Severity.ERROR:
            errors.append(_from_outside(fault, home))
    if errors:
        more = f" (and {len(errors) - 1} more in components on the search path)" if len(errors) > 1 else ""
        yield structs.replace(errors[0], message=errors[0].message + more)


def _home(one: Fault, package: LoadedPackage, others: Iterable[LoadedPackage]) -> LoadedPackage | None:
    """The other package whose file it is about. Two packages may have files of one name."""
    source = one.place.source
    mine = package.get_file(source.name)
    if mine is not None and mine.source == source:
        return None
    named = [other for other in others if other.get_file(source.name) is not None]
    exact = (other for other in named if (file := other.get_file(source.name)) and file.source == source)
    return next(exact, None if mine is not None or not named else named[0])


def _from_outside(one: Fault, home: LoadedPackage) -> Fault:
    """With the whole path of its file: it is not in the package that is checked."""
    source = one.place.source
    name = str((home.path / source.name).resolve()) if home.path is not None else source.name
    return structs.replace(one, place=Place(Source(name, source.text), one.place.span))
