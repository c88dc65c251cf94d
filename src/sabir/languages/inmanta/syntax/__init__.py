"""Text of the Inmanta language → typed, frozen nodes with places."""
