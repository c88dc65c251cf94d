"""Checking resources."""
