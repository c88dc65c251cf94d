"""A component with an action and an upgrade, for tests."""

from __future__ import annotations

from typing import Final

from tests.languages.ccp.building import service

__all__ = ["ACTIONS", "FILES", "UPGRADE"]

ACTIONS: Final = """\
actions:
- name: backup
  image: tools
  command: backup --db {{ action_parameters.db }}
  dependencies: [db]
  parameters:
  - {key: db, default_value: shop}
  files:
  - {path: /opt/backup.sh, content: backup.j2, perm: "0700"}
"""

UPGRADE: Final = """\
upgrade:
  name: upgrade-shop
  image: tools
  steps:
  - name: backup
    command: backup.sh
    files: [backup]
    volumes:
    - {name: backup-dir, path: /var/backup, type: host}
    topology_key: backup
  - {name: stop, type: kill-services, services: [web]}
  - {name: sync, command: 'sync {{ web.level }}'}
  - {name: roll, type: rolling-upgrade}
files:
  backup: {path: /opt/backup.sh, content: backup.j2, perm: "500"}
"""

FILES: Final = {
    "service/db.yaml": service("db", head="kind: StatefulSet"),
    "service/web.yaml": service(
        "web", container="pre:\n- {name: sync, type: single, command: sync, dependencies: [db]}\n"
    ),
    "service/agent.yaml": service("agent", head="kind: DaemonSet"),
    "service/files/backup.j2": "dump {{ db.name }} {{ action_parameters.db }}\n",
    "service/files/defaults.yaml": "configs: {web: {level: 1}, db: {name: shop}}\n",
    "service/actions/backup.yaml": ACTIONS,
    "service/upgrade/default.yaml": UPGRADE.replace("backup.j2", "upgrade.j2"),
    "service/files/upgrade.j2": "dump {{ db.name }}\n",
    "ccp.yaml": "images: {tag: '1.0'}\nkubernetes: {namespace: procedures}\n",
}
