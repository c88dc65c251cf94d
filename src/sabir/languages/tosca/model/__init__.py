"""What a topology means: types with what they inherit, values, requirements and what meets them. Checks and evaluation share it."""

from sabir.languages.tosca.model.model import Model
from sabir.languages.tosca.model.requirements import Link

__all__ = ["Link", "Model"]
