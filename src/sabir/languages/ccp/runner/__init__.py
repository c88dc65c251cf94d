"""The program inside every container: waits for dependencies, writes files, runs commands, tells its status.

It is shipped to the containers as one archive that Python runs, and needs Python (3.8 or newer) with Jinja2 and nothing else;
so it imports nothing of sabir.
"""
