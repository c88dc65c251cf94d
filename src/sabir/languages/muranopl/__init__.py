"""MuranoPL: classes of applications in packages (spec 000), and the checks of such packages (spec 001)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Final

from sabir.errors import UsageError

if TYPE_CHECKING:
    from sabir.check.validator import BaseValidator
    from sabir.diagnostics.codes import Code
    from sabir.languages.language import Evaluation, EvaluationRequest, Renderer
    from sabir.source.packages import LoadedPackage

__all__ = ["LANGUAGE", "MuranoPL"]


class MuranoPL:
    """The language as the rest of sabir sees it."""

    name: Final = "muranopl"

    def recognises(self, package: LoadedPackage) -> bool:
        from sabir.languages.muranopl.check.view import is_murano_package

        return is_murano_package(package)

    def codes(self) -> Sequence[Code]:
        from sabir.languages.muranopl.check import package_codes

        return package_codes()

    def validators(self) -> Sequence[type[BaseValidator]]:
        from sabir.languages.muranopl.check import package_validators

        return package_validators()

    def evaluate(self, package: LoadedPackage, request: EvaluationRequest) -> Evaluation:
        del request
        raise UsageError(f"{package.name} can be checked, but MuranoPL is not evaluated yet")

    def renderers(self) -> Mapping[str, Renderer]:
        return {}


LANGUAGE: Final = MuranoPL()
