"""Codes of class files: their structure."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.examples.packages import LIBRARY, changed, package_rule, with_class

__all__ = ["CODES"]

_META_CLASS: Final = with_class("Extends: std:Object", "Usage: Meta\nCardinality: Many\nApplies: [Type]")


def _format(version: str, old: str, new: str) -> dict[str, str]:
    """The library in an older format, with one change of its class."""
    package = changed(LIBRARY, "manifest.yaml", "MuranoPL/1.4", f"MuranoPL/{version}")
    return {**package, "Classes/Counter.yaml": with_class(old, new)["Classes/Counter.yaml"]}


CODES: Final[tuple[Rule, ...]] = (
    package_rule(
        "MPL:E011",
        "a malformed class name",
        "A class name is written like a Python class: letters, digits and underscores, not beginning with a digit or with "
        "two underscores.",
        with_class("Name: Counter", "Name: 1Counter"),
    ),
    package_rule(
        "MPL:W011",
        "a class name that is not CamelCase",
        "Readers tell classes from properties and methods by their capitals.",
        {
            **LIBRARY,
            "manifest.yaml": LIBRARY["manifest.yaml"].replace("tools.Counter", "tools.my_counter"),
            "Classes/Counter.yaml": LIBRARY["Classes/Counter.yaml"].replace(
                "Name: Counter", "Name: my_counter"
            ),
        },
    ),
    package_rule(
        "MPL:E012",
        "the class is not the one that the manifest promises",
        "The engine finds a class by the name the manifest gives to its file; name and namespace in the file must agree.",
        with_class("Name: Counter", "Name: Meter"),
    ),
    package_rule(
        "MPL:W013",
        "the old section Workflow",
        "Workflow is what Methods was called in old packages. It is still read, and its methods are checked.",
        with_class("Methods:", "Workflow:"),
        fixable=True,
    ),
    package_rule(
        "MPL:E025",
        "Extends or Import names no class",
        "Parents and imports are class names: Name, prefix:Name or a.b.Name. With a blank after the colon YAML reads a "
        "mapping.",
        with_class("Extends: std:Object", "Extends: {std: Object}"),
        fixable=True,
    ),
    package_rule(
        "MPL:E026",
        "Properties is no mapping",
        "Properties maps names to declarations.",
        {
            **LIBRARY,
            "Classes/Counter.yaml": "Namespaces:\n  =: com.example.tools\n\nName: Counter\n\nProperties: [start, last]\n",
        },
    ),
    package_rule(
        "MPL:E027",
        "Cardinality or Inherited has no valid value",
        "Cardinality is One or Many; Inherited is true or false.",
        changed(_META_CLASS, "Classes/Counter.yaml", "Cardinality: Many", "Cardinality: many"),
        good=_META_CLASS,
        fixable=True,
    ),
    package_rule(
        "MPL:E028",
        "Applies names an unknown target",
        "A meta-class applies to Package, Type, Method, Property, Argument or All, or to a list of these.",
        changed(_META_CLASS, "Classes/Counter.yaml", "Applies: [Type]", "Applies: [Tpye]"),
        good=_META_CLASS,
        fixable=True,
    ),
    package_rule(
        "MPL:E029",
        "an unknown Usage of a class",
        "A class is a Class or, to describe others, a Meta.",
        with_class("Extends: std:Object", "Extends: std:Object\nUsage: class"),
        fixable=True,
    ),
    package_rule(
        "MPL:W029",
        "a key of meta-classes on an ordinary class",
        "Cardinality, Applies and Inherited mean something only on a class with Usage: Meta.",
        with_class("Extends: std:Object", "Extends: std:Object\nCardinality: One"),
        good=_META_CLASS,
    ),
    package_rule(
        "MPL:E042",
        "an unknown Usage of a property",
        "In, Out, InOut, Const, Runtime, Config or Static says who may set a property and when.",
        with_class("Usage: Out", "Usage: out"),
        fixable=True,
    ),
    package_rule(
        "MPL:W043",
        "a Usage of a property newer than the format",
        "Config came with format 1.1, Static with 1.2. An engine of the declared format does not know it.",
        _format("1.1", "Usage: Out", "Usage: Static"),
        good=with_class("Usage: Out", "Usage: Static"),
    ),
    package_rule(
        "MPL:E044",
        "Namespaces or Scope is malformed",
        "Namespaces maps prefixes to namespaces. Scope is Public or Session and came with format 1.4.",
        with_class("  next:\n", "  next:\n    Scope: public\n"),
        good=with_class("  next:\n", "  next:\n    Scope: Public\n"),
        fixable=True,
    ),
    package_rule(
        "MPL:E045",
        "a Body that is no code",
        "The body of a method is an expression, a block construct or a list of these.",
        with_class(
            "    Body:\n      - $first: $.next(1)\n      - Return: $first + $.next(step => 1)\n",
            "    Body: 5\n",
        ),
    ),
    package_rule(
        "MPL:W045",
        "a Usage of a method that is unknown, too new or deprecated",
        "A method is Runtime, Static, Extension (both from format 1.3) or, up to format 1.3, Action; later Action is "
        "written Scope: Public.",
        with_class("  next:\n", "  next:\n    Usage: Action\n"),
        fixable=True,
    ),
    package_rule(
        "MPL:E046",
        "methods or arguments of the wrong shape",
        "Methods maps names to declarations; Arguments is a list with one name and its declaration an item.",
        with_class("      - step:\n", "      - other: {Contract: $}\n        step:\n"),
    ),
    package_rule(
        "MPL:E047",
        "a property without a contract",
        "The contract says which values a property takes. Contract: $ takes any.",
        with_class("    Contract: $.int()\n    Usage: Out\n", "    Usage: Out\n"),
        fixable=True,
    ),
    package_rule(
        "MPL:E048",
        "Arguments as one mapping with several keys",
        "A mapping has no order that could be relied on, and calls pass arguments by position.",
        with_class("      - step:\n", "        other: {Contract: $}\n        step:\n"),
        fixable=True,
    ),
    package_rule(
        "MPL:E049",
        "Meta is malformed",
        "Meta is a mapping, or a list of mappings, of meta-classes to their properties.",
        with_class("    Usage: Out\n", "    Usage: Out\n    Meta: title\n"),
    ),
    package_rule(
        "MPL:E052",
        "Usage of an argument before format 1.4",
        "VarArgs and KwArgs came with format 1.4.",
        _format("1.3", "          Default: 1\n", "          Default: 1\n          Usage: Standard\n"),
        good=with_class("          Default: 1\n", "          Default: 1\n          Usage: Standard\n"),
    ),
    package_rule(
        "MPL:E053",
        "an unknown Usage of an argument",
        "An argument is Standard, VarArgs (a list of all further values) or KwArgs (a mapping of all further names).",
        with_class("          Default: 1\n", "          Default: 1\n          Usage: standard\n"),
        fixable=True,
    ),
    package_rule(
        "MPL:E054",
        "a malformed method or argument name",
        "Names are letters, digits and underscores. Only .init and .destroy begin with a dot.",
        with_class("  twice:", "  two-times:"),
    ),
    package_rule(
        "MPL:E060",
        "a malformed namespace prefix",
        "A prefix is a name, or = for the namespace of the class itself.",
        with_class("  std: io.murano", "  std: io.murano\n  my-lib: com.example.lib"),
    ),
    package_rule(
        "MPL:W060",
        "a malformed namespace",
        "A namespace is names separated by dots.",
        with_class("  std: io.murano", "  std: io.murano\n  lib: com..lib"),
    ),
    package_rule(
        "MPL:W061",
        "a namespace that is not in lowerCamelCase",
        "The document recommends small letters at the beginning of every part.",
        with_class("  std: io.murano", "  std: io.murano\n  lib: com.Example"),
        off_by_default=True,
    ),
    package_rule(
        "MPL:W062",
        "a namespace of a single part",
        "A namespace that begins with a domain of its author does not meet that of somebody else.",
        {
            **with_class("=: com.example.tools", "=: tools"),
            "manifest.yaml": LIBRARY["manifest.yaml"].replace("com.example.tools.Counter:", "tools.Counter:"),
        },
        off_by_default=True,
    ),
    package_rule(
        "MPL:E117",
        "a class that extends itself",
        "Following Extends leads back to the class; the engine cannot load any class of the circle.",
        with_class("Extends: std:Object", "Extends: Counter"),
    ),
)
