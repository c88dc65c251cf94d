"""The language server: what `sabir.operations.editor` knows, in the Language Server Protocol.

server       the server and its requests
desk         Desk: an open project, with what is known of it
positions    offsets and places as the protocol counts them
diagnostics  findings, and fixes as code actions
hover        names and values in words
navigation   definitions, references, symbols, folding, renaming
completion   what may be written next
values       inlay values, semantic tokens
"""
