"""The rules of the contract, in their phases, and what a good reviewer would say."""
