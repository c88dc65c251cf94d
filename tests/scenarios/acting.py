"""An environment that acts: secrets in fields, commands, variables and results, and a step that fails."""

from __future__ import annotations

from typing import Final

__all__ = ["ACTING", "HIDDEN", "OPERATOR", "hidden"]

HIDDEN: Final = ("field", "input", "by-reference", "command", "variable", "result")
"""Where a secret of its own stands."""


def hidden(place: str) -> str:
    assert place in HIDDEN
    return f"hush-{place}-4711"


OPERATOR: Final = {
    "REFERRED": hidden("by-reference"),
    "SABIR_KEY": "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVoxMjM0NTY=",
}
"""What the operator alone has in the environment."""

ACTING: Final = {
    "sabir.yaml": f"""\
name: acting
secrets: {{referred: {{env: REFERRED}}}}
targets: {{m: {{driver: local, root: world}}}}
parts:
  it:
    path: it.yaml
    language: resources
    inputs: {{word: {{eval: {{sensitive: {hidden("input")}}}}}}}
outputs: {{it: {{eval: "::it::one::content"}}}}
""",
    "it.yaml": f"""\
sabir: resources/1
resources:
  one: {{kind: file, target: m, fields: {{path: one, content: {{sensitive: {hidden("field")}}}}}}}
  two: {{kind: file, target: m, fields: {{path: two, content: {{get_input: word}}}}}}
  three: {{kind: file, target: m, fields: {{path: three, content: {{secret: referred}}}}}}
  login:
    kind: command
    results: [token]
    fields:
      run: {{sensitive: 'true {hidden("command")}; ps -eo args > "$HOME/processes"; env > "$HOME/variables"; echo "token=$WORD" > "$SABIR_OUTPUTS"'}}
      environment: {{WORD: {{sensitive: {hidden("variable")}}}}}
      undo: 'echo "$WORD"'
  four: {{kind: file, target: m, fields: {{path: four, content: {{eval: "::login::token"}}}}}}
  fails:
    kind: command
    requires: [login]
    fields: {{run: 'echo "it is $WORD" >&2; exit 3', environment: {{WORD: {{sensitive: {hidden("variable")}}}}}}}
operations:
  rotate:
    of: one
    about: another word
    arguments: {{to: null}}
    events: [leaked]
    run:
      turn:
        kind: command
        results: [now]
        fields:
          run: 'echo "$TO and $WORD"; echo "now=$WORD" > "$SABIR_OUTPUTS"'
          environment: {{TO: {{get_argument: to}}, WORD: {{sensitive: {hidden("result")}}}}}
""",
}
