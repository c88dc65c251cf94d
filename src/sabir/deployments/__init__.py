"""From what is wanted to the world, and back: plan, engine, journal, state, executors, drivers.

It meets the languages in `sabir.resources` only. The parts, from the bottom:

    store/      what is remembered: resources, deployments, steps, events; SQLite or PostgreSQL; locks; sealed secrets
    plan/       from wanted resources and recorded ones to steps in their order, with reasons, guards and problems
    engine/     the state machine that walks a plan (pure), the journal around every effect, executors
    drivers/    this machine; others come through the entry point group `sabir.drivers`
    targets     where resources are kept, and by which driver
"""
