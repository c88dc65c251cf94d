"""What the service remembers, beside the deployments in the same database."""
