"""OpenStack's Heat as a target: stacks, made and changed as a whole, waited for, taken away.

    access        from the settings of a target to a session of the cloud
    api           requests about stacks; failures as sentences
    stack         a stack as it is wanted, and what differs from it
    waiting       until Heat is done with a stack, and what went wrong in it
    pushing       create, update, delete: by name, with the operation id kept as a tag of the stack
    connection    read, apply, delete, observe of stacks that are kept
    programs      what programs ask of Heat, one call after another
    driver        kinds and settings; the door for everybody else

openstacksdk reads `clouds.yaml`, signs in and finds Heat in the catalogue. Its typed stacks are not used: they change when one
asks what an update would do.
"""
