"""Handlers in separate processes, so that third-party Python never runs in the deploying process."""
