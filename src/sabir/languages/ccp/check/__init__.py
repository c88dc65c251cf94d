"""The rules of the contract, in phases, and the advice of a review."""
