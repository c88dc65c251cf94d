"""From typed definitions to units, workflows and Kubernetes objects."""
