"""Instances of a topology, with values that are computed when they are read."""

from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.request import LiveValues, Request

__all__ = ["Ensemble", "LiveValues", "Request"]
