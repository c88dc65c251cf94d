"""Workloads timed on sabir and, side by side, on the tools it stands in for: `python -m benchmarks`."""
