"""What is remembered of deployments, on SQLite or PostgreSQL."""
