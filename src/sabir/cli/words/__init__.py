"""What may be said on the command line: commands declared as data, read, explained and completed from that.

Our own because every command pays for it before it does anything: click and what it imports were a third of the time of
`mpl-check`, and all of `sabir --version`.
"""

from sabir.cli.words.declare import Argument, Command, Option, argument, flag, option
from sabir.cli.words.kinds import PATH, PATH_TEXT, TEXT, Kind, choice, number

__all__ = [
    "PATH",
    "PATH_TEXT",
    "TEXT",
    "Argument",
    "Command",
    "Kind",
    "Option",
    "argument",
    "choice",
    "flag",
    "number",
    "option",
]
