"""`sabir completion`: the script that a shell reads to complete sabir's words."""

from __future__ import annotations

from typing import Final

from sabir.cli.terminal import write
from sabir.cli.words import Command, argument, choice

__all__ = ["command"]


def _completion(*, shell: str) -> None:
    from sabir.cli.words.shells import SHELLS

    write(SHELLS[shell])


command: Final = Command(
    path="sabir completion",
    about="Print the completion script of a shell, for sabir and mpl-check.",
    arguments=(argument("shell", "bash|zsh|fish", kind=choice("bash", "zsh", "fish")),),
    examples=(
        ("sabir completion bash > ~/.local/share/bash-completion/completions/sabir", ""),
        ('sabir completion zsh > "${fpath[1]}/_sabir"', ""),
        ("sabir completion fish > ~/.config/fish/completions/sabir.fish", ""),
    ),
    run=_completion,
)
