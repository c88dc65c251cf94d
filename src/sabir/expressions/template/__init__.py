"""Jinja2 templates: rendered in a sandbox, with a way back from every character to the line that made it."""
