"""Metadata of an uploaded package, in any language."""

from __future__ import annotations

from hashlib import sha256

from sabir.languages.language import Language
from sabir.server.store.catalogue import PackageMetadata
from sabir.source.packages import LoadedPackage
from sabir.source.yaml.access import text_entries, value_at
from sabir.source.yaml.nodes import YamlMapping, YamlNode, plain_data, text_of


def read_metadata(package: LoadedPackage, language: Language) -> PackageMetadata:
    """Return the metadata from the manifest or the language's main file; without a name, from a content
    digest.
    """
    manifest = _read_document(package, "manifest.yaml")
    if manifest is not None and text_of(value_at(manifest, "FullName")):
        return _read_manifest(manifest, package, language)
    module = (
        _read_document(package, "module.yml")
        or _read_document(package, "project.yml")
        or _read_document(package, "sabir.yaml")
    )
    name = text_of(value_at(module, "name")) or _name_of_content(package)
    return PackageMetadata(
        full_name=name,
        name=name,
        version=text_of(value_at(module, "version")) or "0.0.0",
        language=language.name,
        type="Library" if module is not None and language.name == "inmanta" else "Application",
        description=text_of(value_at(module, "description")),
    )


def _read_manifest(manifest: YamlMapping, package: LoadedPackage, language: Language) -> PackageMetadata:
    full_name = text_of(value_at(manifest, "FullName")) or ""
    listed = manifest.get("Tags")
    tags = None if listed is None else plain_data(listed)
    return PackageMetadata(
        full_name=full_name,
        name=text_of(value_at(manifest, "Name")) or full_name,
        version=package.version,
        language=language.name,
        type=text_of(value_at(manifest, "Type")) or "Application",
        author=text_of(value_at(manifest, "Author")),
        description=text_of(value_at(manifest, "Description")),
        tags=tuple(str(tag) for tag in tags) if isinstance(tags, list) else (),
        classes=tuple(name for name, _ in text_entries(value_at(manifest, "Classes"))),
    )


def icon_of(package: LoadedPackage) -> bytes | None:
    """Return the image that a catalog shows."""
    named = text_of(value_at(_read_document(package, "manifest.yaml"), "Logo")) or "logo.png"
    for name in (named, f"UI/{named}"):
        file = package.get_file(name)
        if file is not None and file.raw():
            return file.raw()
    return None


def _read_document(package: LoadedPackage, name: str) -> YamlMapping | None:
    file = package.get_file(name)
    documents = file.yaml.documents if file is not None else ()
    first: YamlNode | None = documents[0] if documents else None
    return first if isinstance(first, YamlMapping) else None


def _name_of_content(package: LoadedPackage) -> str:
    digest = sha256()
    for name in package.list():
        file = package.get_file(name)
        digest.update(name.encode() + b"\0" + (file.raw() if file is not None else b""))
    return f"package-{digest.hexdigest()[:12]}"
