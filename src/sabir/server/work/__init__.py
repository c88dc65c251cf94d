"""Work that the service does in other processes: checks, evaluations, jobs."""
