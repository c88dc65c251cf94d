"""What every value rests on, recorded while code runs (dynamic slicing). Only a run that is asked for it pays.

records      one step: a place, a manner, the steps it rests on
tracker      the steps of one run: what is read, what decides, what is written
storage      dictionaries of values that tell the tracker who reads and who writes
effects      what a statement may write, for those that did not run
expressions  YAQL that notes the local variables it reads and the arguments of calls
statements   statements that note what they write and what decides that they run
methods      calls: arguments, results, constructors
objects      the first values of properties: model, default, contract
"""
