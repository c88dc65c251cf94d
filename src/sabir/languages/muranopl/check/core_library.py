"""What the core library has, as far as checks need to know it without loading it."""

from __future__ import annotations

from typing import Final

__all__ = ["CLASSES", "NAMESPACES"]

_BY_NAMESPACE: Final = {
    "io.murano": (
        "Object Environment CloudRegion CloudResource Application Exception StackTrace SharedIp SharedIpRange File "
        "User Project"
    ),
    "io.murano.configuration": "Linux",
    "io.murano.resources": (
        "Network Instance LinuxInstance LinuxMuranoInstance ConfLangInstance HeatSWConfigInstance "
        "HeatSWConfigLinuxInstance LinuxUDInstance WindowsInstance NeutronNetworkBase NeutronNetwork "
        "ExistingNeutronNetwork NovaNetwork Volume CinderVolume ExistingCinderVolume CinderVolumeBackup "
        "CinderVolumeSnapshot MetadataAware InstanceAffinityGroup"
    ),
    "io.murano.system": (
        "Agent AgentListener HeatStack Resources InstanceNotifier Logger StatusReporter NetworkExplorer "
        "SecurityGroupManager NeutronSecurityGroupManager AwsSecurityGroupManager DummySecurityGroupManager "
        "MistralClient MetadefBrowser GC"
    ),
    "io.murano.metadata": "Description HelpText ModelBuilder Title",
    "io.murano.metadata.forms": "Hidden Position Section",
    "io.murano.metadata.engine": "Serialize Synchronize",
    "io.murano.test": "TestFixture TestFixtureWithEnvironment DummyNetwork",
    "io.murano.applications": (
        "ReplicaProvider ReplicationGroup CloneReplicaProvider CompositeReplicaProvider PoolReplicaProvider "
        "RoundrobinReplicaProvider Event ServerGroup ServerList CompositeServerGroup SingleServerGroup "
        "ServerReplicationGroup TemplateServerProvider Installable Configurable OpenStackSecurityConfigurable "
        "SoftwareComponent SingleServerApplication MultiServerApplication MultiServerApplicationWithScaling"
    ),
}

NAMESPACES: Final = frozenset(_BY_NAMESPACE)
CLASSES: Final = frozenset(
    f"{namespace}.{name}" for namespace, names in _BY_NAMESPACE.items() for name in names.split()
)
