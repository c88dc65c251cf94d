"""From a topology to live instances."""

from sabir.languages.tosca.evaluate.ensemble import Ensemble, LiveValues, Request, instantiate

__all__ = ["Ensemble", "LiveValues", "Request", "instantiate"]
