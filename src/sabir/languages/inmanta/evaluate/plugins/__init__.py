"""Python plug-ins: what they import, how they are loaded, how their annotations become types."""
