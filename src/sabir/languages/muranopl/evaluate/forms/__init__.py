"""Forms of a package: fields shown, values checked, the object model made of them (the dynamic UI of Murano)."""
