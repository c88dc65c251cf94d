"""The web page: static files, and the viewer of `compile --format html` for the graph of an environment."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from litestar import MediaType, Response, Router, get
from litestar.exceptions import NotFoundException
from litestar.params import FromPath

__all__ = ["page_router"]

_FOLDER: Final = Path(__file__).parent / "static"
_TYPES: Final = {".css": "text/css", ".js": "text/javascript", ".html": "text/html"}


@get("/", include_in_schema=False)
async def index() -> Response[bytes]:
    """Return the start page."""
    return _file_response("index.html")


@get("/page/{name:str}", include_in_schema=False)
async def static_file(name: FromPath[str]) -> Response[bytes]:
    """Return one of the bundled static files."""
    return _file_response(name)


def _file_response(name: str) -> Response[bytes]:
    path = _FOLDER / name
    if path.parent != _FOLDER or not path.is_file():
        raise NotFoundException(f"no file {name!r}")
    return Response(
        path.read_bytes(),
        media_type=_TYPES.get(path.suffix, MediaType.TEXT),
        headers={"cache-control": "no-cache"},
    )


def page_router() -> Router:
    """Return the routes without a token: the page itself is public, all data comes from the API."""
    return Router("/", route_handlers=[index, static_file])
