"""The native API, under `/api/1`."""
