"""The package catalog: valid packages with the data to search them by.

An archive is stored under the digest of its content before its row is written, so every row has its archive.
Only a crash can leave an archive without a row; `sweep` deletes these.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

import msgspec
from msgspec import Struct
from msgspec.structs import replace
from sqlalchemy import Engine, RowMapping, literal, or_, select, tuple_

from sabir.deployments.store.row_checks import convert_row
from sabir.operations.files import write_atomically
from sabir.server.store.rows import RowCache, Rows, json_text, new_id, utc_now
from sabir.server.store.tables import category as categories
from sabir.server.store.tables import package as table

_MOST: Final = 100


class PackageMetadata(Struct, frozen=True, kw_only=True):
    """The metadata that a package itself contains."""

    full_name: str
    name: str
    version: str
    language: str
    type: str
    author: str | None = None
    description: str | None = None
    tags: tuple[str, ...] = ()
    classes: tuple[str, ...] = ()


class PackageInfo(Struct, frozen=True, kw_only=True):
    """A package of the catalog."""

    id: str
    digest: str
    full_name: str
    name: str
    version: str
    language: str
    type: str
    author: str | None
    description: str | None
    tags: tuple[str, ...]
    categories: tuple[str, ...]
    classes: tuple[str, ...]
    enabled: bool
    public: bool
    owner: str
    created: str
    updated: str


class Category(Struct, frozen=True, kw_only=True):
    """A category, with the number of its packages."""

    id: str
    name: str
    created: str
    updated: str
    packages: int = 0


class Search(Struct, frozen=True, kw_only=True):
    """Search conditions; None matches everything."""

    text: str | None = None
    full_name: str | None = None
    version: str | None = None
    category: str | None = None
    tag: str | None = None
    class_name: str | None = None
    type: str | None = None
    owner: str | None = None
    disabled: bool = False
    """Those that are disabled, too."""
    after: str | None = None
    limit: int = 20


class PackageCatalog:
    """Packages and categories; archives are files named by their digest."""

    def __init__(self, engine: Engine, folder: Path) -> None:
        self._engine = engine
        self._packages = Rows(engine, table, _decode_package)
        self._categories = Rows(engine, categories, _decode_category)
        self._folder = folder
        self._by_id: RowCache[str, PackageInfo] = RowCache()
        self._pages: RowCache[Search, tuple[list[PackageInfo], str | None]] = RowCache(100)

    def _clear_caches(self) -> None:
        self._by_id.forget()
        self._pages.forget()

    # Packages

    def add(
        self,
        archive: bytes,
        described: PackageMetadata,
        *,
        owner: str,
        categories: Iterable[str] = (),
        public: bool = False,
    ) -> PackageInfo:
        digest = sha256(archive).hexdigest()
        self._folder.mkdir(parents=True, exist_ok=True)
        write_atomically(self._file(digest), archive)
        time = utc_now()
        info = PackageInfo(
            id=new_id(),
            digest=digest,
            **msgspec.structs.asdict(described),
            categories=tuple(categories),
            enabled=True,
            public=public,
            owner=owner,
            created=time,
            updated=time,
        )
        self._packages.add(
            _encode_row(info), taken=f"{info.full_name} {info.version} is in the catalogue already"
        )
        self._clear_caches()
        return info

    def get(self, id_: str) -> PackageInfo | None:
        return self._by_id.get(id_, lambda: self._packages.get(id_))

    def archive(self, package: PackageInfo) -> bytes:
        return self._file(package.digest).read_bytes()

    def archive_path(self, package: PackageInfo) -> Path:
        return self._file(package.digest)

    def change(self, id_: str, **values: Any) -> PackageInfo | None:
        """Set fields that users may change: `name`, `description`, `tags`, `categories`, `enabled`,
        `public`.
        """
        written = {name: _encode_value(value) for name, value in values.items()}
        self._packages.change(id_, {**written, "updated": utc_now()})
        self._clear_caches()
        return self.get(id_)

    def remove(self, id_: str) -> bool:
        removed = self._packages.remove(table.c.id == id_)
        self._clear_caches()
        self.sweep()
        return removed

    def sweep(self) -> None:
        """Delete the archives that no package refers to."""
        with self._engine.connect() as connection:
            named = set(connection.scalars(select(table.c.digest)))
        for file in self._folder.glob("*.zip"):
            if file.stem not in named:
                file.unlink(missing_ok=True)

    def search(self, search: Search) -> tuple[list[PackageInfo], str | None]:
        """Return the matching packages, by name and version, and the start of the next page."""
        return self._pages.get(search, lambda: self._search(search)) or ([], None)

    def _search(self, search: Search) -> tuple[list[PackageInfo], str | None]:
        asked = select(table).order_by(table.c.full_name, table.c.version, table.c.id)
        for column, value in (
            (table.c.full_name, search.full_name),
            (table.c.version, search.version),
            (table.c.type, search.type),
            (table.c.owner, search.owner),
        ):
            if value is not None:
                asked = asked.where(column == value)
        if not search.disabled:
            asked = asked.where(table.c.enabled)
        for column, value in (
            (table.c.categories, search.category),
            (table.c.tags, search.tag),
            (table.c.classes, search.class_name),
        ):
            if value is not None:
                asked = asked.where(column.contains(json_text(value), autoescape=True))
        if search.text:
            words = (table.c.full_name, table.c.name, table.c.description, table.c.tags, table.c.author)
            asked = asked.where(or_(*(column.icontains(search.text, autoescape=True) for column in words)))
        last = None if search.after is None else self.get(search.after)
        if last is not None:
            place = tuple_(table.c.full_name, table.c.version, table.c.id)
            asked = asked.where(place > tuple_(*map(literal, (last.full_name, last.version, last.id))))
        limit = min(max(search.limit, 1), _MOST)
        packages = self._packages.all(asked.limit(limit + 1))
        page = packages[:limit]
        return page, page[-1].id if len(packages) > limit else None

    def _file(self, digest: str) -> Path:
        return self._folder / f"{digest}.zip"

    # Categories

    def all_categories(self) -> list[Category]:
        listed = self._categories.all(select(categories).order_by(categories.c.name))
        with self._engine.connect() as connection:
            used = [msgspec.json.decode(text) for text in connection.scalars(select(table.c.categories))]
        return [
            replace(category, packages=sum(category.name in names for names in used)) for category in listed
        ]

    def add_category(self, name: str) -> Category:
        time = utc_now()
        info = Category(id=new_id(), name=name, created=time, updated=time)
        row = {"id": info.id, "name": name, "created": time, "updated": time}
        self._categories.add(row, taken=f"there is a category {name!r} already")
        return info

    def remove_category(self, id_: str) -> bool:
        return self._categories.remove(categories.c.id == id_)


def _encode_row(info: PackageInfo) -> dict[str, Any]:
    return {name: _encode_value(value) for name, value in msgspec.structs.asdict(info).items()}


def _encode_value(value: Any) -> Any:
    return json_text(value) if isinstance(value, Sequence) and not isinstance(value, str) else value


def _decode_category(row: RowMapping) -> Category:
    return Category(**row)


def _decode_package(row: RowMapping) -> PackageInfo:
    lists = {name: msgspec.json.decode(row[name]) for name in ("tags", "categories", "classes")}
    return convert_row(row, PackageInfo, f"package {row['full_name']!r}", **lists)
