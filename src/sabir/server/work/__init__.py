"""Work that the server does in other processes: checks, evaluations, jobs."""
