"""The graph as a web page to explore: one file, no server, no network.

Its script lays out the open boxes with dagre.

page         the file: data, style and script, and the policy that blocks everything else
details      the content of the panel, in blocks that the page decodes on demand
values       the form of values, and the source lines that may be shown
"""

from sabir.graph.views.html.page import PageContent, html_view

__all__ = ["PageContent", "html_view"]
