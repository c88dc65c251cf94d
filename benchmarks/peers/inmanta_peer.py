"""inmanta-core's side of the Inmanta workloads."""

import logging
import os
import tempfile


def _compile(folder):
    from inmanta import compiler
    from inmanta.module import Project

    logging.disable(logging.CRITICAL)
    project = Project(folder)
    Project.set(project)
    types, _ = compiler.do_compile()
    count = 0
    for name, kind in types.items():
        if not name.startswith("std::") and hasattr(kind, "get_all_instances"):
            count += sum(one.type is kind for one in kind.get_all_instances())
    return count


def evaluate(folder, size):
    from inmanta import compiler, module  # noqa: F401

    os.chdir(folder)
    return lambda: _compile(folder)


def start(folder, size):
    os.chdir(folder)
    return lambda: _compile(folder)


def _parser(folder):
    from inmanta import compiler  # noqa: F401  # its imports only work in this order
    from inmanta.ast import Namespace
    from inmanta.parser import plyInmantaParser

    root = Namespace("__root__")
    return plyInmantaParser, Namespace("__config__", root), os.path.join(folder, "main.cf")


def parse_cold(folder, size):
    parser, namespace, file = _parser(folder)
    parser.cache_manager.attach_to_project(tempfile.mkdtemp(dir=folder))
    return lambda: len(parser.parse(namespace, file))


def parse_warm(folder, size):
    parser, namespace, file = _parser(folder)
    parser.cache_manager.attach_to_project(folder)
    parser.parse(namespace, file)
    return lambda: len(parser.parse(namespace, file))
