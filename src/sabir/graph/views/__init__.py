"""A graph for people and other tools: text, YAML, DOT, Mermaid, SVG. Each view yields pieces of text."""

from sabir.graph.views.dot import dot_view
from sabir.graph.views.mermaid import mermaid_view
from sabir.graph.views.svg import svg_view
from sabir.graph.views.text import text_view
from sabir.graph.views.words import value_text
from sabir.graph.views.yaml import yaml_view

__all__ = ["dot_view", "mermaid_view", "svg_view", "text_view", "value_text", "yaml_view"]
