"""What a topology means: types with what they inherit, values, requirements and what meets them. Checks and evaluation share it."""

from sabir.languages.tosca.model.model import TopologyModel
from sabir.languages.tosca.model.requirements import RequirementLink

__all__ = ["RequirementLink", "TopologyModel"]
