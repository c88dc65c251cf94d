"""What an editor asks while somebody types: findings, names, values. It knows no protocol; `sabir.lsp` speaks one.

project     Project: a package with the texts of open editors in place of its files, checked as far as is quick
projects    Projects: which project a file belongs to
index       NameIndex: definitions and uses of names, file by file
evaluated   EvaluatedProject: the values that lines of a project come to
"""
