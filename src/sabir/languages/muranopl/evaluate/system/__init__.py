"""System classes: classes of the core library whose methods are implemented in Python.

The class file declares a method with its arguments and no body; Python provides the body:

    RESOURCES = SystemClass("io.murano.system.Resources")

    @RESOURCES.method("string")
    def string(this, variables, name): ...

`this` is the object (the class for a static method), `variables` are those of the call, followed by the
declared arguments, which their contracts have already checked. `caller_class(variables)` is the class whose
code made the call. Embedders pass their own classes to the `Runtime`; their methods take precedence. A method
requests anything outside the run with `perform_effect`, and the world of the run performs it.
"""

from __future__ import annotations

from sabir.languages.muranopl.evaluate.system.registry import (
    NATIVE_CLASSES,
    SystemClass,
    attach_native,
    caller_class,
)

__all__ = ["NATIVE_CLASSES", "SystemClass", "attach_native", "caller_class"]
