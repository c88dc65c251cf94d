"""CCP: checking and rendering a component of many services. There is no existing tool that runs on today's Python."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from benchmarks.runner.workload import Measure, Workload

__all__ = ["WORKLOADS"]

_CONTAINER = """\
    - name: s{number}-{letter}
      image: image-{letter}
      probes:
        readiness: check --port {{{{ app.port }}}}
        liveness: {{type: httpGet, path: /health, port: {{{{ app.port }}}}, timeout: 5}}
      volumes:
        - {{name: logs, type: host, path: /var/log/app}}
      env:
        - {{name: MODE, value: "{{{{ app.mode }}}}"}}
      daemon:
        command: run --port {{{{ app.port }}}} --level {{{{ app.level }}}} --peer {{{{ address("s0") }}}}
        files: [conf-{letter}]
        {dependencies}
"""
_HEAD = """\
dsl_version: 0.9.0
service:
  name: s{number}
  ports:
    - {{{{ app.port }}}}
    {{% if app.metrics %}}
    - 9100
    {{% endif %}}
  containers:
"""
_FILE = '  conf-{letter}: {{path: /etc/app/{letter}.conf, content: {letter}.j2, perm: "0600", user: app}}\n'
_TEMPLATE = "[app]\nport = {{ app.port }}\n{% for host in app.hosts %}\nhost = {{ host }}\n{% endfor %}\n"
_DEFAULTS = "configs:\n  app: {port: 8080, mode: fast, level: info, metrics: true, hosts: [a, b]}\n"


def generate(size: int, folder: Path) -> None:
    """`size` services with 3 containers each, files and dependencies."""
    service = folder / "service"
    (service / "files").mkdir(parents=True)
    (service / "files" / "defaults.yaml").write_text(_DEFAULTS)
    for letter in "abc":
        (service / "files" / f"{letter}.j2").write_text(_TEMPLATE)
    for number in range(size):
        parts = [_HEAD.format(number=number)]
        for letter in "abc":
            wanted = f"dependencies: [s{number - 1}-{letter}]" if number else "# the first"
            parts.append(_CONTAINER.format(number=number, letter=letter, dependencies=wanted))
        parts.append("files:\n")
        parts += [_FILE.format(letter=letter) for letter in "abc"]
        (service / f"s{number}.yaml").write_text("".join(parts))


def render(folder: str, size: int) -> Callable[[], object]:
    """Check and render, one object after the other, from a cold start."""

    def run() -> object:
        from sabir.languages.ccp import LANGUAGE
        from sabir.languages.language import EvaluationRequest, RenderRequest
        from sabir.source.packages import load_package

        request = RenderRequest(options={"layout": "single"})
        rendering = LANGUAGE.renderers()["kubernetes"](load_package(folder), EvaluationRequest(), request)
        return sum(text.count("\nkind: Deployment\n") for text in rendering.files.values())

    return run


WORKLOADS = (
    Workload(
        name="ccp-render",
        about="services with three containers, files and dependencies: checked and rendered, cold",
        sizes=(500, 5_000),
        generate=generate,
        sabir="benchmarks.ccp:render",
        measure=Measure.PROCESS,
    ),
)
