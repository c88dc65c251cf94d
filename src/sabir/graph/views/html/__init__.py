"""The graph as a page to walk about in: one file, no server, no network, a script of our own.

summary      which boxes are drawn when there are too many instances for a picture
picture      boxes with places and links with routes, from the layout that the SVG has too
flows        whose values an instance was computed from
details      what the panel shows, in blocks that the page reads when they are wanted
lines        lines of source that may be shown
page         the file: data, style and script, and the policy that keeps everything else out
"""

from sabir.graph.views.html.page import PageContent, html_view

__all__ = ["PageContent", "html_view"]
