"""What every value rests on, recorded while code runs (dynamic slicing). Only a run that is asked for it pays.

`sabir.provenance` has the recorder and its words (site, step, cell, read, decided by, withheld). Here is what MuranoPL adds:

recorder      where a run is (in each thread): what is read, what decides, what is written
first_values  the step of a value that no statement wrote: model, `new`, default
storage       properties, attributes and statics that tell the recorder who reads and who writes
effects       what a statement may write, for those that did not run
expressions   YAQL that notes the local variables it reads and the arguments of calls
statements    statements that note what they write and what decides that they run
methods       calls: arguments, results, constructors
objects       objects and the first values of their properties
"""
