"""Many machines: targets that workers of dask.distributed look at and change, because only they reach them.

    address       `dask://…`: where the scheduler is, and whether what is sent can be read on the way
    cluster       the workers, what they offer, and calls that one of them carries out once
    worker        what runs on a worker: one call of a driver
    child         work that changes nothing, in a process of its own on a worker
    driver        a driver whose connections are at a worker

Plan, journal, locks, order and retries stay where they are: what goes to a worker is a single call of a driver, and a worker that
dies leaves a call without an answer. The engine then looks for it by its operation id, as after every broken connection.
"""
