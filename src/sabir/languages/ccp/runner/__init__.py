"""The runner inside every container: waits for dependencies, writes files, runs commands, reports status.

It is shipped to the containers as one archive and needs only Python (3.8 or newer) with Jinja2, so it
imports nothing else of sabir.
"""
