"""Python plugins: what they can import, how they are loaded, how their annotations become types."""
