"""The tables of the server, in the same database as the deployments."""
