"""Providers of secrets: environment variables, files, commands, Kubernetes, Vault."""
