"""Editor support that does not depend on a protocol: findings, names and values. `sabir.lsp` implements a
protocol.

    project     EditorProject: a package with the texts of open editors instead of its files, and the project of a file
    index       NameIndex: definitions and uses of names, file by file
    values      EvaluatedProject: the values that the lines of a project evaluate to
    completion  completions of expressions from the last graph
"""
