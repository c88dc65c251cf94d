"""Heat in one process: its API and its engine, with a message bus inside the process between them.

python run_heat.py PORT CONFIGURATION
"""

import sys

from oslo_service import backend

backend.init_backend(backend.BackendType.THREADING)  # Heat asks for this before anything of it is imported

from heat.common import config, messaging  # noqa: E402
from heat.engine import service  # noqa: E402
from heat.rpc import api  # noqa: E402
from oslo_config import cfg  # noqa: E402
from oslo_log import log  # noqa: E402
from serving import serve  # noqa: E402


def main(port, configuration):
    log.register_options(cfg.CONF)
    cfg.CONF(["--config-file", configuration], project="heat", prog="heat-engine")
    log.setup(cfg.CONF, "heat")
    config.set_config_defaults()
    messaging.setup()
    engine = service.EngineService(cfg.CONF.host, api.ENGINE_TOPIC)
    engine.start()
    serve(config.load_paste_app("heat-api"), port)


if __name__ == "__main__":
    main(*sys.argv[1:])
