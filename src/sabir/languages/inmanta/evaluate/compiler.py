"""The model compiler: combines the partial compilers, and creates scopes and frames of namespaces."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sabir.expressions.patterns import PatternRefusedError
from sabir.graph.values import Unknown
from sabir.languages.inmanta.evaluate.budget import LIMIT
from sabir.languages.inmanta.evaluate.calls import CallCompiler
from sabir.languages.inmanta.evaluate.construction import ConstructionCompiler, RefinementCompiler
from sabir.languages.inmanta.evaluate.dependencies import EffectFinder
from sabir.languages.inmanta.evaluate.engine import EngineStep, ModelEngine
from sabir.languages.inmanta.evaluate.expressions import ExpressionCompiler
from sabir.languages.inmanta.evaluate.interrupts import Stop, Wait
from sabir.languages.inmanta.evaluate.lookups import LookupCompiler
from sabir.languages.inmanta.evaluate.operators import ConditionOf
from sabir.languages.inmanta.evaluate.scopes import BlockScope, FrameLayout
from sabir.languages.inmanta.evaluate.statements import StatementCompiler
from sabir.languages.inmanta.evaluate.templates import ModelTemplates
from sabir.languages.inmanta.evaluate.values import EMPTY, Frame, Read
from sabir.languages.inmanta.evaluate.writes import of_constraint
from sabir.languages.inmanta.model.definitions import Definitions
from sabir.languages.inmanta.model.entities import NO_DEFAULT
from sabir.languages.inmanta.model.types import TYPE, ConstrainedType, Late, constraint_of, format_value
from sabir.languages.inmanta.syntax import nodes
from sabir.languages.inmanta.syntax.project import MAIN, Namespace
from sabir.text import Place

if TYPE_CHECKING:
    from sabir.languages.inmanta.evaluate.functions import Functions
    from sabir.languages.inmanta.evaluate.inputs import ModelInputs
    from sabir.languages.inmanta.evaluate.plugins.api import Context
    from sabir.languages.inmanta.evaluate.plugins.context import Contexts
    from sabir.source.packages import PackageFile


class ModelCompiler:
    """Compiles the namespaces of a project for one engine."""

    lookups: LookupCompiler
    calls: CallCompiler
    refinements: RefinementCompiler
    construction: ConstructionCompiler
    expressions: ExpressionCompiler
    templates: ModelTemplates

    def __init__(self, definitions: Definitions, engine: ModelEngine, functions: Functions) -> None:
        self.definitions = definitions
        self.engine = engine
        self.functions = functions
        self.scopes: dict[str, BlockScope] = {}
        self._frames: dict[str, Frame] = {}
        self._contexts: Contexts | None = None
        self.assemble()
        self.statements = StatementCompiler(self)
        engine.closing.finder = EffectFinder(self)

    def assemble(self) -> None:
        """Create the partial compilers. A recording compiler overrides this to create its own."""
        self.lookups = LookupCompiler(self)
        self.calls = CallCompiler(self)
        self.refinements = RefinementCompiler(self)
        self.construction = ConstructionCompiler(self)
        self.expressions = ExpressionCompiler(self)
        self.templates = ModelTemplates(self)

    def frame(self, namespace: str) -> Frame:
        return self._frames[namespace]

    def read(self, node: nodes.Expression, scope: BlockScope) -> Read:
        return self.expressions.read(node, scope)

    def functions_context(self, scope: BlockScope, place: Place) -> Callable[[Frame], Context]:
        """Return the factory of contexts for plugins that request one."""
        if self._contexts is None:
            from sabir.languages.inmanta.evaluate.plugins.context import Contexts

            self._contexts = Contexts(self)
        return self._contexts.maker(scope, place)

    def file(self, folder: str, path: str) -> PackageFile | None:
        """Return a file of a module by `module/path`, or None."""
        module, _, inside = path.partition("/")
        home = self.definitions.project.modules.get(module)
        return home.data.file(f"{folder}/{inside}") if home is not None else None

    def read_file(self, folder: str, path: str) -> bytes:
        file = self.file(folder, path)
        if file is None:
            module, _, inside = path.partition("/")
            raise FileNotFoundError(f"module {module!r} has no file {inside!r} in {folder!r}")
        return file.raw()

    def list_files(self, folder: str, path: str) -> list[str]:
        module, _, inside = path.partition("/")
        home = self.definitions.project.modules.get(module)
        below = f"{folder}/{inside}".rstrip("/")
        names = home.data.list(below) if home is not None else []
        return [name[len(below) + 1 :] for name in names if "/" not in name[len(below) + 1 :]]

    def compile(self) -> list[tuple[list[EngineStep], Frame]]:
        """Return the top-level steps and the frame of every namespace, in load order."""
        spaces = self.definitions.project.namespaces
        blocks: dict[str, nodes.Block] = {}
        for name, space in spaces.items():
            scope = BlockScope(space, FrameLayout())
            block = tuple(
                statement
                for statement in space.statements
                if isinstance(statement, nodes.Assign | nodes.ExpressionStatement | nodes.For | nodes.If)
            )
            scope.declare_block(block)
            if name == MAIN and self.engine.given is not None:
                block = self._without_inputs(block, scope, self.engine.given)
            self.scopes[name] = scope
            self._frames[name] = []
            blocks[name] = block
        for typedef in self.definitions.typedefs.values():
            self._typedef(typedef)
        self._check_defaults()
        out: list[tuple[list[EngineStep], Frame]] = []
        for name in spaces:
            scope = self.scopes[name]
            steps = self.statements.block(blocks[name], scope)
            frame = self._frames[name]
            frame.extend([None, None, *[EMPTY] * (scope.layout.size - 2)])
            if name == MAIN and self.engine.given is not None:
                for variable in self.engine.given.inputs:
                    frame[scope.names[variable]] = self.engine.given.value(variable)
            out.append((steps, frame))
        return out

    def _without_inputs(self, block: nodes.Block, scope: BlockScope, given: ModelInputs) -> nodes.Block:
        """Return the statements of main.cf without the assignments that inputs replace."""
        given.check_inputs(scope.names)
        for name in given.inputs:
            scope.writers.pop(name, None)
        return tuple(
            statement
            for statement in block
            if not (
                isinstance(statement, nodes.Assign)
                and isinstance(statement.target, nodes.Name)
                and statement.target.name in given.inputs
            )
        )

    def _check_defaults(self) -> None:
        """Check defaults of constrained types. Their conditions can be compiled only at this point."""
        for entity in self.definitions.entities.values():
            for prop in entity.properties.values():
                if prop.type is None or prop.default is NO_DEFAULT:
                    continue
                try:
                    fits = prop.type.accepts(prop.default)
                except Wait:
                    continue  # the condition reads a variable; the constructor that uses the default will tell
                except PatternRefusedError as problem:
                    self.engine.report_once(LIMIT, str(problem), prop.place)
                    continue
                if not fits:
                    message = (
                        f"the default {format_value(prop.default)} of {prop.name!r} is no {prop.type.name}"
                    )
                    constraint = constraint_of(prop.type, prop.default)
                    hint = None if constraint is None else of_constraint(constraint)[0]
                    self.engine.report_once(TYPE, message, prop.place, hint)

    def _typedef(self, typedef: ConstrainedType) -> None:
        condition = typedef.node.condition
        if condition is None:
            return
        space = self._space_of(typedef)
        layout = FrameLayout()
        scope = BlockScope(space, layout, self.scopes[space.name])
        scope.names["self"] = 1
        compiled: list[Read] = []
        base = typedef.base
        outer = self._frames[space.name]

        def accepts(value: object) -> bool:
            if not base.accepts(value):
                return False
            if isinstance(value, Unknown | Late):
                return True
            if not compiled:  # most types of a library are never used
                compiled.append(self.expressions.condition(condition, scope, ConditionOf.TYPEDEF))
            try:
                return compiled[0]([outer, value, *layout.rest()]) is True
            except Stop:
                return False

        typedef.accepts = accepts

    def _space_of(self, typedef: ConstrainedType) -> Namespace:
        for space in self.definitions.project.namespaces.values():
            if space.source is typedef.place.source:
                return space
        raise AssertionError(typedef.name)
