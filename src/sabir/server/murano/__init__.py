"""The API of Murano's command-line client and Python library, under `/v1`."""
