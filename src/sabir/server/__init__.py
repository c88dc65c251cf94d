"""The service: operations and deployments over HTTP.

settings    where it keeps things, how much it takes
store/      what it remembers: packages, environments, tokens, what was done by whom
work/       jobs (each a process of its own) and evaluations (in workers)
measuring   what it measures of itself
requesting  what every route asks first
routes/     the service's own API
murano/     the API that Murano's client speaks
app         all of it as one application; `run` serves it
"""
