"""Kubernetes objects of today (S-70), one kind a module."""
