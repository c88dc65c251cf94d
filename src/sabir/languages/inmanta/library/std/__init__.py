"""The bundled module `std`."""
