"""Views of a graph: text, YAML, DOT, Mermaid, SVG and a web page. Each view yields chunks.

Import the module of the view you need: a command that needs one should not pay for the others.
"""
