"""Agents that are installed already: plans go to their queues, answers come back through the broker.

messages    a plan as a message, its signature, an answer as data
broker      one connection to a broker
driver      the driver
"""
