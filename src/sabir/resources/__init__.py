"""Data and protocols between languages, the engine and drivers: resources, targets, steps, effects, outcomes.

This layer is below all three, so that none of them imports another. A language returns what it wants to exist
(`DesiredResources`), a driver can read and change it (`Driver`), and the engine between them decides what is
done when, and records it. Nothing here has effects.

    resource      Resource, Lifecycle, Operation, PendingResource, DesiredResources: what a language returns
    target        Target: where resources are managed
    driver        Driver, Connection, Kind: how they are managed
    fields        Field: the fields of resources and the settings of targets
    step          Action, Task: what a driver is asked to do
    outcome       ResourceReading, FieldChange, Outcome, Observation: what it returns
    observations  ObservedValues: step outputs during a deployment
    secrets       SecretSource, SecretProvider: values that are only referred to
    effects       Effect, Effects, DivergedError: how programs act on targets

Import from the modules, not from the package: every evaluation loads `resource` and needs no more.
"""
