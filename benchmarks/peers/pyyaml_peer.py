"""PyYAML's side of the YAML workloads."""

import os

import yaml


def _text(folder):
    with open(os.path.join(folder, "input.yaml"), encoding="utf-8") as file:
        return file.read()


def load(folder, size):
    text = _text(folder)
    return lambda: len(yaml.load(text, Loader=yaml.CSafeLoader))


def compose(folder, size):
    text = _text(folder)
    return lambda: len(yaml.compose(text, Loader=yaml.CSafeLoader).value)
