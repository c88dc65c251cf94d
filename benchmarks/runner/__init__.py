"""Finds workloads, runs them in processes of their own, and reports CPU time, memory and growth."""
