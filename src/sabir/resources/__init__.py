"""What languages hand to deploy, and deploy to drivers: resources, targets, steps, effects, outcomes.

This layer stands below both, so that neither imports the other. A language says what it wants kept in the world
(`Wanted`), a driver knows how to look at it and change it (`Driver`), and the engine between them decides what is done
when, remembers it, and survives. Nothing here does anything: these are the words they speak.

    resource    Resource, Lifecycle, Operation, Pending, Wanted: what a language hands over
    target      Target: where it is kept
    driver      Driver, Connection, Kind: who keeps it
    fields      Field: what resources and targets may say
    step        Action, Task: what a driver is asked to do
    outcome     Reading, Change, Outcome, Observation: what comes back
    secrets     SecretSource, SecretProvider: values that are only referred to
    effects     Effect, Effects, Diverged: how programs change the world

There is nothing to import from the package itself: every evaluation loads `resource`, and needs no more.
"""
