"""The commands, one module each; `sabir.cli.main.COMMANDS` names them."""
