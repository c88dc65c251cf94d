"""Fuzzers: inputs made at random, and what must hold for every one of them. A few run in the test suite, many on demand."""
