"""What is wrong with a TOSCA template: names, types, values, requirements."""

from sabir.languages.tosca.check.model import Link, Model

__all__ = ["Link", "Model"]
