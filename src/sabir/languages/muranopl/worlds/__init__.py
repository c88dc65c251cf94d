"""Worlds: everything that programs access outside of themselves, behind one interface of effects.

A system class of the core library (a stack, an agent, a network explorer) never touches anything: it requests
an effect (`EffectRequest`), and the world of the run performs it. There are three kinds of worlds:

    recorded    lists every effect and has another world perform it (`sabir run --record`)
    simulated   a cloud in memory: stacks with outputs, agents with results, as a short description defines them
    real        passes effects to the deployment engine, which journals them and has drivers perform them

The package works on plain data only, without classes or objects, and is layered below the evaluator.
"""
