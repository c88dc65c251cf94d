"""Inputs that a template does not declare: a function may name one, and so may whoever asks for an evaluation."""

from __future__ import annotations

from typing import Final

from sabir.languages.tosca.syntax.examples import tosca_rule

__all__ = ["UNKNOWN_INPUT"]

UNKNOWN_INPUT: Final = tosca_rule(
    code="TOSCA:E021",
    title="an input that is not declared",
    why="get_input, or the command line, names an input that the template does not have.",
)
