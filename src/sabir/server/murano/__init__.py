"""The API that Murano's command-line client and Python library speak, below `/v1`."""
