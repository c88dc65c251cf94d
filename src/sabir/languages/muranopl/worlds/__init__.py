"""Worlds: what programs reach outside of themselves, behind one interface of effects.

A native class of the core library (a stack, an agent, a network explorer) never touches anything: it asks for an `Effect`, and the
world of the run answers. There are three kinds of worlds:

    recorded    writes down every effect, and lets another world answer it (`sabir run --record`)
    simulated   a cloud in memory: stacks with outputs, agents with answers, as a short description has them
    real        hands effects to the deploy engine, which journals them and lets drivers do them

The room knows plain data only, no classes and no objects, and stands below the evaluator.
"""
