"""The API that modules import as `inmanta.…`: resources, handlers, exporters, references."""
