"""From a topology to live instances."""

from sabir.languages.tosca.evaluate.ensemble import Ensemble
from sabir.languages.tosca.evaluate.request import LiveValues, Request

__all__ = ["Ensemble", "LiveValues", "Request"]
