"""Tests of the benchmark runner; no test asserts on time."""
