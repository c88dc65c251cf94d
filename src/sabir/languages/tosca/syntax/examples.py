"""How a rule of the language is written down; `examples.yaml` has the examples."""

from __future__ import annotations

from functools import partial
from typing import Final

from sabir.diagnostics.rules import Rule

tosca_rule: Final = partial(Rule, language="tosca", examples="sabir.languages.tosca")
