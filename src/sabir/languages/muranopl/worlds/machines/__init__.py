"""A cloud of machines that are there already: stacks are kept by sabir, servers are taken from a pool, plans go over ssh.

templates   what a Heat template means here: servers, scripts, outputs
cloud       effects of programs, answered with machines
"""

from sabir.languages.muranopl.worlds.machines.cloud import MachineCloud

__all__ = ["MachineCloud"]
