#ps1_sysnative
# First boot of a machine with an agent: where the broker is, the name of the machine, where files are shared.
$ErrorActionPreference = 'Stop'

$settings = [ordered]@{
    'rabbitmq.host' = '%BROKER_HOST%'
    'rabbitmq.port' = '%BROKER_PORT%'
    'rabbitmq.user' = '%BROKER_LOGIN%'
    'rabbitmq.password' = '%BROKER_PASSWORD%'
    'rabbitmq.vhost' = '%BROKER_VHOST%'
    'rabbitmq.inputQueue' = '%INPUT_QUEUE%'
    'rabbitmq.resultExchange' = ''
    'rabbitmq.resultRoutingKey' = '%RESULT_QUEUE%'
    'rabbitmq.durableMessages' = 'true'
    'rabbitmq.ssl' = '%BROKER_SSL%'
    'rabbitmq.allowInvalidCA' = 'true'
    'rabbitmq.sslServerName' = ''
    'engine.key' = '%ENGINE_KEY%'
}
$hostName = '%HOST_NAME%'
$fileShare = '%FILE_SHARE%'

$agentFolder = 'C:\Murano\Agent'
$file = Join-Path $agentFolder 'WindowsAgent.exe.config'
[xml]$document = Get-Content $file
$section = $document.SelectSingleNode('/configuration/appSettings')
foreach ($name in $settings.Keys) {
    $entry = $section.SelectSingleNode("add[@key='$name']")
    if ($null -eq $entry) {
        $entry = $document.CreateElement('add')
        $entry.SetAttribute('key', $name)
        [void]$section.AppendChild($entry)
    }
    $entry.SetAttribute('value', $settings[$name])
}
$document.Save($file)

[Environment]::SetEnvironmentVariable('MuranoFileShare', $fileShare, 'Machine')
Restart-Service 'Murano Agent' -Force
if ($env:COMPUTERNAME -ne $hostName) {
    Rename-Computer -NewName $hostName -Force
    Restart-Computer -Force
}
