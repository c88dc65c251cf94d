"""What deployments leave in files: an exported state, dumps of the existing engine."""

from __future__ import annotations

import json
from typing import Final

__all__ = ["DUMPS", "STATE"]

STATE: Final = json.dumps(
    {
        "format": "sabir.state/1",
        "resources": [
            {
                "address": "f/a",
                "kind": "file",
                "target": "default",
                "driver": "local",
                "status": "present",
                "id": None,
                "desired": '{"path":"a","content":{"$sensitive":true,"value":"sealed:x"}}',
                "fields": None,
                "requires": '["f/b"]',
                "deployment": 1,
                "step": "f/a",
                "origin": "sabir.yaml:1",
            }
        ],
        "facts": [
            {
                "name": "f/a|x",
                "address": "f/a",
                "value": '{"value":1}',
                "deployment": 1,
                "step": "f/a",
                "position": 1,
                "at": "",
                "expired": 0,
            }
        ],
    }
)
_OBJECTS: Final = {"?": {"id": "e1", "type": "io.murano.Environment"}, "name": "n", "applications": []}
_KEPT: Final = json.dumps({"Objects": _OBJECTS, "Attributes": [["r", "T", "k", "v"]], "SystemData": {}})
DUMPS: Final = (
    _KEPT,
    json.dumps([{"id": "e1", "name": "n", "description": _KEPT}]),
    f"INSERT INTO `environment` VALUES (NULL,'e1','n','t',0,'{_KEPT}',NULL),('2017',NULL,'e2','o','t',0,NULL,NULL);\n",
    f"INSERT INTO public.environment (id, name, description) VALUES ('e1', 'n', '{_KEPT}');\n",
)
