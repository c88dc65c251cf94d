"""`sabir completion`: the script that a shell reads to complete sabir's words."""

from __future__ import annotations

from sabir.cli.declare import argument, sabir_command
from sabir.cli.parameter_types import WordChoice
from sabir.cli.terminal import write_text


@sabir_command(
    "completion",
    examples=[
        ("sabir completion bash > ~/.local/share/bash-completion/completions/sabir", ""),
        ('sabir completion zsh > "${fpath[1]}/_sabir"', ""),
        ("sabir completion fish > ~/.config/fish/completions/sabir.fish", ""),
    ],
)
@argument("shell", metavar="bash|zsh|fish", type=WordChoice("bash", "zsh", "fish"))
def command(*, shell: str) -> int:
    """Print the completion script of a shell, for sabir and mpl-check."""
    from sabir.cli.completion import SHELLS

    write_text(SHELLS[shell])
    return 0
