"""Forms of a package: display fields, check values, and build the object model (the Dynamic UI of Murano)."""
