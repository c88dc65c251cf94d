"""How bash, zsh and fish ask for proposals, and how they are answered.

A script of ours calls the command again with `_SABIR_COMPLETE` set to the name of the shell and the words typed so far as
arguments, the last of them being the one at the cursor. The first line of the answer is `words` or `files`. click finds what
may be proposed; its own scripts lose the part of a word before `:` (bash) or `=`, and our codes have a colon.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

import click
from click.shell_completion import ShellComplete, split_arg_string

_BASH: Final = """\
_sabir_complete() {
    local kind= value
    COMPREPLY=()
    while IFS= read -r value; do
        if [[ -z $kind ]]; then kind=$value; else COMPREPLY+=("$value"); fi
    done < <(_SABIR_COMPLETE=bash "$1" "${COMP_LINE:0:COMP_POINT}" "$2" 2>/dev/null)
    [[ $kind == files ]] && compopt -o default
    return 0
}
complete -o nosort -F _sabir_complete sabir mpl-check
"""

_ZSH: Final = """\
#compdef sabir mpl-check

_sabir() {
    local -a answer
    answer=("${(@f)$(_SABIR_COMPLETE=zsh $words[1] "${(@)words[2,CURRENT]}" 2>/dev/null)}")
    if [[ $answer[1] == files ]]; then
        compset -P 1 '--*='
        _files
    else
        shift answer
        _describe -V words answer
    fi
}

if [[ $funcstack[1] == _sabir ]]; then
    _sabir "$@"
else
    compdef _sabir sabir mpl-check
fi
"""

_FISH: Final = """\
function __sabir_complete
    set -l before (commandline -opc)
    set -l current (commandline -ct)
    set -l answer (env _SABIR_COMPLETE=fish $before "$current" 2>/dev/null)
    if test "$answer[1]" = files
        set -l option (string match -r -- '^--[^=]*=' "$current")
        for path in (__fish_complete_path (string replace -- "$option" '' "$current"))
            echo "$option$path"
        end
    else
        printf '%s\\n' $answer[2..-1]
    end
end

for name in sabir mpl-check
    complete --command $name --no-files --keep-order --arguments '(__sabir_complete)'
end
"""

SHELLS: Final = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH}


def complete_words(command: click.Command, name: str, shell: str, words: Sequence[str]) -> str:
    """The answer to a script: what the command proposes for the last word, in the form of the shell."""
    typed = ""
    if shell == "bash":
        line, typed = words
        words = _split_line(line)[1:]
    *before, word = words
    items = ShellComplete(command, {}, name, "").get_completions(before, word)
    if any(item.type != "plain" for item in items):
        return "files\n"
    # click proposes values alone where the word is `--option=value`.
    option, equals, _ = word.partition("=")
    prefix = option + equals if equals and word.startswith("-") else ""
    # Bash breaks words at `=` and `:`, too, and wants only what comes after them.
    cut = len(word) - len(typed) if shell == "bash" and word.endswith(typed) else 0
    show = _SHOWN[shell]
    lines = [show((prefix + item.value)[cut:], item.help or "") for item in items]
    return "\n".join(["words", *lines]) + "\n"


_SHOWN: Final[dict[str, Callable[[str, str], str]]] = {
    "bash": lambda value, _: value,
    "zsh": lambda value, help_: value.replace(":", "\\:") + (f":{help_}" if help_ else ""),
    "fish": lambda value, help_: f"{value}\t{help_}" if help_ else value,
}


def _split_line(line: str) -> list[str]:
    """The words of a line, the last one being that at its end: empty after a blank."""
    words = split_arg_string(line)
    begins_another = len(split_arg_string(f"{line}x")) > len(words)
    return [*words, ""] if begins_another else words
