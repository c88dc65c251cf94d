"""Provenance of every value, recorded while code runs (dynamic slicing). Other runs pay nothing for it.

`sabir.provenance` has the recorder and its terms (site, step, cell, read, decided by, withheld). MuranoPL
adds:

    recorder      the position of a run (in each thread): what is read, what decides, what is written
    storage       properties, attributes and statics that report reads and writes; steps of first values
    effects       what a statement may write, for statements that did not run
    statements    statements that record what they write and what decides that they run
    methods       calls: arguments, results, constructors; YAQL that records its reads
    objects       objects and the first values of their properties
"""
