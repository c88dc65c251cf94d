"""`sabir completion`: the script that a shell reads to complete sabir's words."""

from __future__ import annotations

import click

__all__ = ["command"]


@click.command("completion")
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def command(shell: str) -> None:
    """Print the completion script of a shell.

    \b
    bash:  sabir completion bash > ~/.local/share/bash-completion/completions/sabir
    zsh:   sabir completion zsh > "${fpath[1]}/_sabir"
    fish:  sabir completion fish > ~/.config/fish/completions/sabir.fish
    """
    from click.shell_completion import get_completion_class

    from sabir.cli.main import cli

    completion = get_completion_class(shell)
    assert completion is not None, shell
    click.echo(completion(cli, {}, "sabir", "_SABIR_COMPLETE").source())
