"""The requirement matrix: every statement of the spec documents, one row each, and which tests show it."""
