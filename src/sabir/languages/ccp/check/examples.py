"""Small components, one for each kind of violation: the examples of the documentation."""

from __future__ import annotations

from typing import Final

from sabir.languages.ccp.syntax.violation import Kind

__all__ = ["BAD", "GOOD"]

Files = dict[str, str]


def _component(
    *,
    head: str = "dsl_version: 0.9.0",
    service: str = "",
    container: str = "",
    daemon: str = "",
    tail: str = "",
    config: str = "images: {tag: '1.0'}\n",
    **files: str,
) -> Files:
    """A component with one service, grown at the places given."""
    lines = [head, "service:", "  name: web", *_indented(service, 2), "  containers:", "  - name: web"]
    lines += ["    image: web", *_indented(container, 4)]
    if "probes:" not in container:
        lines += ["    probes: {readiness: check-web}"]
    lines += ["    daemon:", "      command: run-web", *_indented(daemon, 6), *_indented(tail, 0)]
    named = {name.replace("__", "/").replace("_dot_", "."): text for name, text in files.items()}
    return {"service/web.yaml": "\n".join(lines) + "\n", "ccp.yaml": config, **named}


def _indented(text: str, by: int) -> list[str]:
    return [" " * by + line for line in text.splitlines()]


def _second(daemon: str = "", service: str = "") -> str:
    return "\n".join(
        [
            "dsl_version: 0.9.0",
            "service:",
            "  name: db",
            *_indented(service, 2),
            "  containers:",
            "  - name: db",
            "    image: db",
            "    probes: {readiness: check-db}",
            "    daemon:",
            "      command: run-db",
            *_indented(daemon, 6),
            "",
        ]
    )


_TOPOLOGY: Final = (
    "images: {tag: '1.0'}\nkubernetes: {cluster_nodes: [node1]}\nnodes: {node1: {roles: [front]}}\n"
)
_LOOP: Final = "{% for i in range(100000) %}{% for j in range(100000) %}{% endfor %}{% endfor %}"

BAD: Final[dict[Kind, Files]] = {
    Kind.YAML_SYNTAX: _component(service="ports: [8080"),
    Kind.TEMPLATE_SYNTAX: _component(service="{% if web.public %}\nports: [8080]"),
    Kind.UNDEFINED_VARIABLE: _component(
        service="ports: [{{ web.prot }}]", config="images: {tag: '1.0'}\nconfigs: {web: {port: 8080}}\n"
    ),
    Kind.TEMPLATE_FAILED: _component(service='ports: [{{ 8000 + "80" }}]'),
    Kind.TEMPLATE_UNSAFE: _component(service="ports: [{{ ''.__class__.__mro__ }}]"),
    Kind.TEMPLATE_LIMIT: _component(service=_LOOP),
    Kind.MISSING_KEY: _component(head="# no version"),
    Kind.UNKNOWN_KEY: _component(service="replica: 3"),
    Kind.WRONG_TYPE: _component(service="hostNetwork: 'true'"),
    Kind.EMPTY: _component(service="ports: []"),
    Kind.BAD_ENUM: _component(service="kind: Deploymint"),
    Kind.BAD_FORMAT: _component(service="ports: [http]"),
    Kind.OUT_OF_RANGE: _component(service="ports: [8080:80]"),
    Kind.CONFLICT: _component(service="ports: [8080, 8080]"),
    Kind.DUPLICATE_NAME: {**_component(), "service/again.yaml": _component()["service/web.yaml"]},
    Kind.BAD_VERSION: _component(head="dsl_version: '0.4'"),
    Kind.VERSION_NEWER: _component(head="dsl_version: 0.10.0"),
    Kind.VERSION_MAJOR: _component(config="images: {tag: '1.0'}\nframework: {dsl_version: 1.0.0}\n"),
    Kind.UNKNOWN_FILE: _component(daemon="files: [web.conf]"),
    Kind.UNKNOWN_SECRET: _component(daemon="secrets: [tls]"),
    Kind.MISSING_CONTENT: _component(
        daemon="files: [web.conf]", tail="files:\n  web.conf: {path: /etc/web.conf, content: web.conf.j2}"
    ),
    Kind.UNKNOWN_DEPENDENCY: _component(daemon="dependencies: [db]"),
    Kind.DEPENDENCY_CYCLE: {
        **_component(daemon="dependencies: [db]"),
        "service/db.yaml": _second("dependencies: [web]"),
    },
    Kind.UNKNOWN_SERVICE: _component(config="images: {tag: '1.0'}\nreplicas: {wep: 2}\n"),
    Kind.TOO_MANY_REPLICAS: _component(config=_TOPOLOGY + "roles: {front: [web]}\nreplicas: {web: 2}\n"),
    Kind.NEWER_FEATURE: _component(head="dsl_version: 0.1.0", service="antiAffinity: local"),
    Kind.DUPLICATE_KEY: _component(service="hostPID: false\nhostPID: false"),
    Kind.LIVENESS_TIMEOUT: _component(container="probes: {readiness: check-web, liveness: is-alive}"),
    Kind.SENSITIVE_HOST_PATH: _component(container="volumes:\n- {name: host, type: host, path: /etc}"),
    Kind.PRIVILEGED: _component(container="privileged: true"),
    Kind.NO_READINESS: _component(container="probes: {}"),
    Kind.LATEST_TAG: _component(config="images: {tag: latest}\n"),
    Kind.HOST_NAMESPACE: _component(service="hostPID: true"),
    Kind.NOT_DEPLOYED: {
        **_component(daemon="dependencies: [db]", config=_TOPOLOGY + "roles: {front: [web]}\n"),
        "service/db.yaml": _second(),
    },
    Kind.UNMATCHED_TOPOLOGY: _component(config=_TOPOLOGY + "roles: {front: [web], back: [web]}\n"),
    Kind.UNKNOWN_SECTION: _component(config="images: {tag: '1.0'}\nreplica: {web: 2}\n"),
    Kind.FILE_TEMPLATE: _component(
        daemon="files: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.conf.j2}",
        service__files__web_dot_conf_dot_j2="port = {{ wep.port }}\n",
    ),
    Kind.UNUSED_FILE: _component(
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.conf.j2}",
        service__files__web_dot_conf_dot_j2="port = 80\n",
    ),
    Kind.FILE_CLASH: _component(
        daemon="files: [a, b]",
        tail="files:\n  a: {path: /etc/web.conf, content: web.conf.j2}\n  b: {path: /etc/web.conf, content: web.conf.j2}",
        service__files__web_dot_conf_dot_j2="port = 80\n",
    ),
    Kind.TOO_LARGE: _component(
        daemon="files: [big]",
        tail="files:\n  big: {path: /big, content: big.txt}",
        service__files__big_dot_txt="x" * 1_100_000,
    ),
}

_PLAIN: Final = _component()
GOOD: Final[dict[Kind, Files]] = {
    Kind.YAML_SYNTAX: _PLAIN,
    Kind.TEMPLATE_SYNTAX: _component(
        service="{% if web.public %}\nports: [8080]\n{% endif %}",
        config="images: {tag: '1.0'}\nconfigs: {web: {public: true}}\n",
    ),
    Kind.UNDEFINED_VARIABLE: _component(
        service="ports: [{{ web.port }}]", config="images: {tag: '1.0'}\nconfigs: {web: {port: 8080}}\n"
    ),
    Kind.TEMPLATE_FAILED: _component(service="ports: [{{ 8000 + 80 }}]"),
    Kind.WRONG_TYPE: _component(service="hostNetwork: true"),
    Kind.EMPTY: _component(service="ports: [8080]"),
    Kind.BAD_ENUM: _component(service="kind: Deployment"),
    Kind.OUT_OF_RANGE: _component(service="ports: [8080:30080]"),
    Kind.UNKNOWN_DEPENDENCY: {**_component(daemon="dependencies: [db]"), "service/db.yaml": _second()},
    Kind.MISSING_CONTENT: _component(
        daemon="files: [web.conf]",
        tail="files:\n  web.conf: {path: /etc/web.conf, content: web.conf.j2}",
        service__files__web_dot_conf_dot_j2="port = 80\n",
    ),
    Kind.NEWER_FEATURE: _component(head="dsl_version: 0.2.0", service="antiAffinity: local"),
    Kind.LIVENESS_TIMEOUT: _component(
        container="probes:\n  readiness: check-web\n  liveness: {type: exec, command: is-alive, timeout: 5}"
    ),
    Kind.SENSITIVE_HOST_PATH: _component(
        container="volumes:\n- {name: host, type: host, path: /etc, readOnly: true}"
    ),
}
