"""A pool of machines that are there already: each is taken for one server at a time, and runs what is sent to it.

pool      the machines as a target names them
claims    who has which machine, written down on the machine itself
plans     execution plans, as agents of Murano take them
runner    what is sent to a machine to run a plan: it imports nothing of sabir
driver    the driver
"""
