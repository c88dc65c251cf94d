"""Reads cases, has an adapter run them, and compares outcomes exactly as each folder's README.md says."""
