#!/bin/sh
# First boot of a machine with an agent: configure the agent, install it where the image has none, start it.
set -eu

mkdir -p /etc/murano /var/lib/murano-agent/plans

umask 077
cat > /etc/murano/agent.conf <<'END_OF_AGENT_CONFIGURATION'
[DEFAULT]
storage = /var/lib/murano-agent/plans
enable_dynamic_result_queue = True
engine_key =
%ENGINE_KEY%

[rabbitmq]
input_queue = %INPUT_QUEUE%
result_exchange =
result_routing_key = %RESULT_QUEUE%
host = %BROKER_HOST%
port = %BROKER_PORT%
login = %BROKER_LOGIN%
password = %BROKER_PASSWORD%
virtual_host = %BROKER_VHOST%
ssl = %BROKER_SSL%
insecure = %BROKER_INSECURE%
ca_certs = /etc/murano/broker-ca.pem
END_OF_AGENT_CONFIGURATION

cat > /etc/murano/broker-ca.pem <<'END_OF_CA_CERTIFICATE'
%CA_CERTIFICATE%
END_OF_CA_CERTIFICATE

if ! grep -q '[^[:space:]]' /etc/murano/broker-ca.pem; then
    rm /etc/murano/broker-ca.pem
    sed -i '/^ca_certs/d' /etc/murano/agent.conf
fi
# An empty key would be taken for one.
if ! grep -q 'BEGIN' /etc/murano/agent.conf; then
    sed -i '/^engine_key/d' /etc/murano/agent.conf
fi

umask 022
agent=$(command -v muranoagent || true)
if [ -z "$agent" ]; then
    python3 -m venv /opt/murano-agent
    /opt/murano-agent/bin/pip install --quiet '%AGENT_SOURCE%'
    agent=/opt/murano-agent/bin/muranoagent
fi

cat > /etc/systemd/system/murano-agent.service <<END_OF_UNIT
[Unit]
Description=Agent that runs execution plans
After=network-online.target
Wants=network-online.target

[Service]
ExecStart=$agent --config-file /etc/murano/agent.conf
Restart=always
RestartSec=5

[Install]
WantedBy=multi-user.target
END_OF_UNIT

systemctl daemon-reload
systemctl enable murano-agent.service
systemctl restart murano-agent.service
