"""Kubernetes as a target: any object, applied by the server, waited for, taken away.

    access        from the settings of a target to a client that may talk to the cluster
    api           requests, discovery, the schema of the server; failures as sentences
    schema        fields that the server does not know are left out
    compare       what differs between two states of an object, field by field
    readiness     whether an object does what it was made for, and what it waits for
    pods          why pods are not ready, and what they wrote
    ownership     which objects belong to this environment, and what keeps a namespace
    connection    read, apply, delete, observe on one cluster
    runs          objects that are run: Jobs made anew each time
    driver        kinds and settings; the door for everybody else

lightkube reads kubeconfig files and signs requests. Its typed resources are not used: a description may hold any object, also of
kinds that a cluster got by a definition of its own.
"""
