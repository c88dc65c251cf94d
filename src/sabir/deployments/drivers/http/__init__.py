"""Services that are spoken to over HTTP as targets: resources that are read, created, changed and deleted as JSON.

    access        from the settings of a target to a client that may talk to it, and to nobody else
    api           requests; failures as sentences
    wanted        a resource as it is wanted, and what differs from it
    connection    read, apply, delete, observe
    driver        kinds and settings; the door for everybody else

Which address is spoken to stands in a description, so it needs the leave of the operator (`--trust network`), and more of it for
addresses inside of networks (`--trust private-network`).
"""
