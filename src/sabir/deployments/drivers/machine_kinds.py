"""The kinds that hands take, with their fields: the same on this machine and on others."""

from __future__ import annotations

from typing import Final

from sabir.resources.driver import Kind
from sabir.resources.fields import Field, FieldType

_PATH: Final = Field(about="where it lies, from the root of the target", required=True, replaces=True)
_MODE: Final = Field(about="who may do what with it, in base 8: '0644'")
_OWNER: Final = Field(about="the user it belongs to")
_GROUP: Final = Field(about="the group it belongs to")
_DIRECTORY: Final = Field(about="the folder it runs in, from the root of the target")
_ENVIRONMENT: Final = Field(about="environment variables by name", type=FieldType.MAP)
_NAME: Final = Field(about="its name", required=True, replaces=True)

_FILE: Final = Kind(
    about="a file with its content",
    fields={
        "path": _PATH,
        "content": Field(about="what is in it", type=FieldType.DATA),
        "mode": _MODE,
        "owner": _OWNER,
        "group": _GROUP,
    },
    idempotent=True,
    overwrites=True,
    contained=True,
)
_DIRECTORY_KIND: Final = Kind(
    about="a folder",
    fields={
        "path": _PATH,
        "mode": _MODE,
        "owner": _OWNER,
        "group": _GROUP,
        "force": Field(about="delete it with whatever is in it", type=FieldType.FLAG),
    },
    idempotent=True,
    contained=True,
)
_SYMLINK: Final = Kind(
    about="a symbolic link",
    fields={"path": _PATH, "to": Field(about="what it points to", required=True)},
    idempotent=True,
    overwrites=True,
    contained=True,
)
_ARCHIVE: Final = Kind(
    about="a zip or tar archive, unpacked into a folder of its own",
    fields={
        "path": _PATH,
        "content": Field(about="the archive itself", type=FieldType.DATA, required=True),
    },
    idempotent=True,
    overwrites=True,
    contained=True,
)
_PROCESS: Final = Kind(
    about="a process that stays, known by its pid file",
    fields={
        "name": _NAME,
        "run": Field(about="a line for the shell, or a list of words", type=FieldType.ANY, required=True),
        "directory": _DIRECTORY,
        "environment": _ENVIRONMENT,
        "pid_file": Field(about="where its number is kept; run/NAME.pid unless said", replaces=True),
        "log": Field(about="where its output goes; log/NAME.log unless said"),
        "port": Field(
            about="it is ready when it, or a process that it started, listens on this port",
            type=FieldType.INTEGER,
        ),
        "ready_within": Field(about="seconds it may take to be ready", type=FieldType.NUMBER),
        "stop_within": Field(about="seconds it may take to end by itself", type=FieldType.NUMBER),
    },
    contained=True,
    code=True,
    operations={"restart": "end it and start it again"},
)
_COMMAND: Final = Kind(
    about="a command or a script, run once and again when it changes",
    fields={
        "run": Field(about="a line for the shell, or a list of words", type=FieldType.ANY),
        "script": Field(about="the text of a program; `run` are its words then", type=FieldType.DATA),
        "interpreter": Field(
            about="what runs the script, when it does not say so itself", type=FieldType.ANY
        ),
        "directory": _DIRECTORY,
        "environment": _ENVIRONMENT,
        "creates": Field(about="a path: when it is there, nothing is run"),
        "unless": Field(about="a command: when it succeeds, nothing is run", type=FieldType.ANY),
        "onlyif": Field(about="a command: when it fails, nothing is run", type=FieldType.ANY),
        "undo": Field(about="what is run when the resource is deleted", type=FieldType.ANY),
        "outputs": Field(about="names that it must give out, in the file SABIR_OUTPUTS", type=FieldType.LIST),
        "success": Field(about="exit statuses that are no failure; 0 unless said", type=FieldType.LIST),
    },
    runs=True,
    code=True,
    stops=True,
)
_PACKAGE: Final = Kind(
    about="a package of the system (apt)",
    fields={"name": _NAME, "version": Field(about="just this version")},
    idempotent=True,
)
_SERVICE: Final = Kind(
    about="a service (systemd or runit)",
    fields={
        "name": _NAME,
        "state": Field(about="what it does", choices=("running", "stopped")),
        "enabled": Field(about="whether it starts with the machine", type=FieldType.FLAG),
        "manager": Field(about="who runs services; found out unless said", choices=("systemd", "runit")),
        "directory": Field(about="runit: where enabled services are; /etc/service unless said"),
        "available": Field(about="runit: where services are described; /etc/sv unless said"),
    },
    idempotent=True,
    operations={"restart": "stop it and start it again", "reload": "let it read its settings again"},
)
_USER: Final = Kind(
    about="a user account",
    fields={
        "name": _NAME,
        "uid": Field(about="its number", type=FieldType.INTEGER),
        "group": Field(about="its first group"),
        "groups": Field(about="further groups", type=FieldType.LIST),
        "home": Field(about="its home folder"),
        "shell": Field(about="what runs when it logs in"),
        "comment": Field(about="its full name, or what it is for"),
        "system": Field(about="an account for a service", type=FieldType.FLAG),
        "create_home": Field(about="make the home folder", type=FieldType.FLAG),
    },
    idempotent=True,
)
_GROUP_KIND: Final = Kind(
    about="a group of users",
    fields={
        "name": _NAME,
        "gid": Field(about="its number", type=FieldType.INTEGER),
        "system": Field(about="a group for a service", type=FieldType.FLAG),
    },
    idempotent=True,
)

_ABSENT: Final = Kind(
    about="something that must not be there; forgotten, it stays away until somebody makes it",
    fields={
        "of": Field(
            about="what it would be",
            required=True,
            replaces=True,
            choices=("file", "directory", "symlink", "package", "user", "group"),
        ),
        "path": Field(about="of a file, a folder, a link: where", replaces=True),
        "name": Field(about="of a package, a user, a group: which", replaces=True),
        "force": Field(about="a folder goes with whatever is in it", type=FieldType.FLAG),
    },
    idempotent=True,
    contained=True,
)

MACHINE_KINDS: Final = {
    "absent": _ABSENT,
    "archive": _ARCHIVE,
    "command": _COMMAND,
    "directory": _DIRECTORY_KIND,
    "file": _FILE,
    "group": _GROUP_KIND,
    "package": _PACKAGE,
    "process": _PROCESS,
    "service": _SERVICE,
    "symlink": _SYMLINK,
    "user": _USER,
}
