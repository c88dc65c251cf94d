"""The TOSCA language: Simple Profile 1.0 to 1.3, NFV, 2.0, and the ensembles of Unfurl."""
