"""The module `std`."""
