"""A graph for people and other tools: text, YAML, DOT, Mermaid, SVG, a page. Each view yields pieces.

Import the module of the view that is wanted: a command that needs one should not pay for the others.
"""
