"""What modules import as `inmanta.…`: resources, handlers, exporters, references, under the names they know."""
