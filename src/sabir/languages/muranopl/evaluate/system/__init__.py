"""System classes: classes of the core library whose methods are Python.

The class file declares a method with its arguments and no body; Python gives the body:

    RESOURCES = SystemClass("io.murano.system.Resources")

    @RESOURCES.method("string")
    def string(this, variables, name): ...

`this` is the object (the class for a static method), `variables` those of the call, then come the declared arguments,
already checked by their contracts. `calling(variables)` is the class whose code made the call. Embedders hand classes
of their own to the `Runtime`, whose methods come before ours. What a method wants of the world outside it asks for with `ask`;
the world of the run answers.
"""

from __future__ import annotations

from sabir.languages.muranopl.evaluate.system.registry import (
    NATIVE_CLASSES,
    SystemClass,
    attach_native,
    caller_class,
)

__all__ = ["NATIVE_CLASSES", "SystemClass", "attach_native", "caller_class"]
