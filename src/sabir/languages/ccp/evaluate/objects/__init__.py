"""Current Kubernetes objects (S-70), one subject per module."""
