"""Rules of one's own: policy files that are asked of the graph of any language."""

from sabir.checks.policy.read import PolicyRule, read_rules
from sabir.checks.policy.run import run_rules

__all__ = ["PolicyRule", "read_rules", "run_rules"]
