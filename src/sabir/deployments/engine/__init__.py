"""Doing a plan: the state machine, the journal, executors."""
