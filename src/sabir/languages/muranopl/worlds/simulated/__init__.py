"""The simulated world: a cloud in memory that responds as a short description defines.

    heat: {outputs: {pattern: value}, failures: [{operation, nth, status, reason | http}]}
    agent: {answers: [{queue, name, body, times, result | errorCode | v1 | silent}]}
    neutron: {routers, networks, subnets, ports, extensions}
    glance: {namespaces: {name: [resource types]}, properties: {name: [names]}}
    keystone: {users: {id: …}, projects: {id: …}}
    mistral: {executions: {workflow: {state, output}}}

Every section is optional. A missing one is invented: addresses, ids and routers that look real, agents that
answer every plan with success. A program therefore reaches its end, whatever it requests.
"""

from sabir.languages.muranopl.worlds.simulated.cloud import SimulatedWorld

__all__ = ["SimulatedWorld"]
