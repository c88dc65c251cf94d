"""Workloads timed on sabir and, side by side, on the tools it stands in for: `python -m benchmarks NAME …`.

Every module here offers `WORKLOADS`; `peers/` holds what runs under the interpreter of an existing tool. docs/benchmarks.md
tells how to read the figures and how to add a workload.
"""
