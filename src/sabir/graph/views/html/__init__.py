"""The graph as a page to walk about in: one file, no server, no network; its script lays out what is open with dagre.

picture      how boxes are folded, and the links between instances
flows        whose values an instance was computed from
details      what the panel shows, in blocks that the page reads when they are wanted
lines        lines of source that may be shown
page         the file: data, style and script, and the policy that keeps everything else out
"""

from sabir.graph.views.html.page import PageContent, html_view

__all__ = ["PageContent", "html_view"]
