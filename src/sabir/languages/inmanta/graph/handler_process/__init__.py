"""Handlers at work in processes of their own: foreign Python never runs beside the journal of a deployment."""
