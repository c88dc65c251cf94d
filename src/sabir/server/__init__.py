"""The server: operations and deployments over HTTP.

settings          directories, limits and network address
store/            tables: packages, environments, tokens, jobs, audit
work/             jobs (one process each) and evaluations (in limited processes)
metrics           counters for Prometheus
request_context   what every route needs: the service, the environment, redaction
routes/           the native API
murano/           the API of Murano's client
app               the application; `run` serves it
"""
