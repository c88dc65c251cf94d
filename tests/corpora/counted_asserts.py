"""Runs a foreign module of tests so that every assertion in it counts by itself: none ends the test that it stands in.

No import of ours, so that the engine that the tests are of can run them the same way:

    python tests/corpora/counted_asserts.py /path/to/test_eval.py
"""

import ast
import sys
import unittest
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

__all__ = ["Counter", "run_module"]


class Counter:
    """Assertions by the line they stand on: how often they held, and why they did not."""

    def __init__(self) -> None:
        self.held = 0
        self.lines: set[int] = set()
        self.failures: list[tuple[int, str]] = []

    def check(self, line: int, holds: Callable[[], Any]) -> None:
        self.lines.add(line)
        try:
            if holds() is False:
                self.failures.append((line, "it does not hold"))
            else:
                self.held += 1
        except Exception as error:  # noqa: BLE001  whatever it is, the assertion did not hold
            self.failures.append(
                (line, f"{type(error).__name__}: {str(error).splitlines()[0] if str(error) else ''}")
            )

    @property
    def summary(self) -> str:
        """Also by lines: an assertion in a loop or a helper runs often, and holds when it does each time."""
        failed = {line for line, _ in self.failures}
        return (
            f"{self.held} of {self.held + len(self.failures)} runs of assertions hold; "
            f"{len(self.lines - failed)} of {len(self.lines)} assertions"
        )


class _Counting(ast.NodeTransformer):
    def visit_Assert(self, node: ast.Assert) -> ast.stmt:
        holds = ast.Call(ast.Name("bool", ast.Load()), [node.test], [])
        return self._counted(node, holds)

    def visit_Expr(self, node: ast.Expr) -> ast.stmt:
        call = node.value
        if (
            isinstance(call, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr.startswith("assert")
        ):
            return self._counted(node, call)
        return node

    def visit_FunctionDef(self, node: ast.FunctionDef) -> ast.FunctionDef:
        self.generic_visit(node)
        if node.name.startswith("test"):
            node.body = [self._guarded(statement) for statement in node.body]
        return node

    def _counted(self, node: ast.stmt, holds: ast.expr) -> ast.stmt:
        no_arguments = ast.arguments(posonlyargs=[], args=[], kwonlyargs=[], kw_defaults=[], defaults=[])
        check = ast.Call(
            ast.Name("__check__", ast.Load()),
            [ast.Constant(node.lineno), ast.Lambda(no_arguments, holds)],
            [],
        )
        return ast.copy_location(ast.Expr(check), node)

    def _guarded(self, statement: ast.stmt) -> ast.stmt:
        """What follows a statement that fails is still run; the assertions that need it fail then."""
        if isinstance(statement, ast.Import | ast.ImportFrom | ast.ClassDef | ast.FunctionDef):
            return statement
        handler = ast.ExceptHandler(ast.Name("Exception", ast.Load()), None, [ast.Pass()])
        return ast.copy_location(ast.Try([statement], [handler], [], []), statement)


def run_module(path: Path) -> Counter:
    tree = _Counting().visit(ast.parse(path.read_text(encoding="utf-8")))
    counter = Counter()
    names: dict[str, Any] = {"__name__": "counted", "__file__": str(path), "__check__": counter.check}
    exec(compile(ast.fix_missing_locations(tree), str(path), "exec"), names)  # noqa: S102  the tests of another engine
    for test in _tests(names):
        try:
            test()
        except Exception as error:  # noqa: BLE001
            counter.failures.append((0, f"{getattr(test, '__name__', test)}: {error}"))
    return counter


def _tests(names: dict[str, Any]) -> Iterator[Callable[[], Any]]:
    for name, value in names.items():
        if isinstance(value, type) and issubclass(value, unittest.TestCase):
            for method in sorted(dir(value)):
                if method.startswith("test"):
                    yield getattr(value(method), method)
        elif name.startswith("test") and callable(value):
            yield value


if __name__ == "__main__":
    result = run_module(Path(sys.argv[1]))
    for line, reason in result.failures:
        print(f"{line}: {reason}")
    print(result.summary)
