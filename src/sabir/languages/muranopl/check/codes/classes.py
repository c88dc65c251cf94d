"""Codes of class files: their structure."""

from __future__ import annotations

from typing import Final

from sabir.diagnostics.rules import Rule
from sabir.languages.muranopl.examples.packages import LIBRARY, changed, package_rule, with_class

__all__ = ["CODES"]

_META_CLASS: Final = with_class("Extends: std:Object", "Usage: Meta\nCardinality: Many\nApplies: [Type]")


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
        "MPL:E025",
        "Extends or Import names no class",
        "Parents and imports are class names: Name, prefix:Name or a.b.Name. With a blank after the colon YAML reads a "
        "mapping.",
        with_class("Extends: std:Object", "Extends: {std: Object}"),
        fixable=True,
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
