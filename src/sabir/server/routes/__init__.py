"""The service's own API, below `/api/1`."""
