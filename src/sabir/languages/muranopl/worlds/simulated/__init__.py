"""The simulated world: a cloud in memory that answers as a short description says.

    heat: {outputs: {pattern: value}, failures: [{operation, nth, status, reason | http}]}
    agent: {answers: [{queue, name, body, times, result | errorCode | v1 | silent}]}
    neutron: {routers, networks, subnets, ports, extensions}
    glance: {namespaces: {name: [resource types]}, properties: {name: [names]}}
    keystone: {users: {id: …}, projects: {id: …}}
    mistral: {executions: {workflow: {state, output}}}

Every part may be left out. A part that is left out is made up: addresses, ids and routers that look real, agents that answer every
plan with success. So a program gets to its end, whatever it asks for.
"""

from sabir.languages.muranopl.worlds.simulated.cloud import SimulatedWorld

__all__ = ["SimulatedWorld"]
