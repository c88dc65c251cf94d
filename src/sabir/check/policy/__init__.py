"""Rules of one's own: policy files that are asked of the graph of any language."""

from sabir.check.policy.read import PolicyRule, read_rules
from sabir.check.policy.run import run_rules

__all__ = ["PolicyRule", "read_rules", "run_rules"]
