"""The evaluator: classes compiled once to closures, objects, contracts, statements, the object model in and out."""
