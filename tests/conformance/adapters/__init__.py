"""One module per language: `run` takes a case, drives sabir, and gives back the outcome that the runner compares.

An adapter never reads `case.expect`. What it must provide stands in the docstring of the `Adapter` protocol of
`tests.conformance.runner.<language>`.
"""
