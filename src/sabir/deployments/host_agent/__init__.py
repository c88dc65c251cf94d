"""Hands: what is done on a machine, file by file and process by process.

Written with the standard library alone, for Python 3.9 and newer, and importing nothing else of sabir: the local driver calls it in
its own process, other drivers may send it to another machine and speak to it there. Everything that goes in and out is plain data:

    read(kind, fields, place)      {"exists": …, "fields": {…}}
    apply(kind, task, place)       {"changed": …, "fields": {…} | None, "results": {…}, "log": […]}
    delete(kind, task, place)      the same
    observe(kind, task, place)     {"sighting": "done" | "not done" | "cannot tell", "results": …, "look_at": …}
    call(kind, task, place)        as apply; the task has "call", the name of an operation

`serve` answers to lines of JSON on another machine.

A task is {"operation": ID, "fields": {…}, "recorded": {…} | None}. What fails raises `HandError` with a sentence.
"""
