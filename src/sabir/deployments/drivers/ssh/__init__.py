"""Other machines as targets, over ssh: the same kinds as on this machine, with nothing installed there.

access      from the settings of a target to a connection; failures as sentences
through     containers and namespaces of this machine, by a command instead of ssh
sending     the hands as text, and the command that starts them on the host
hosts       one host at work: requests and answers over one connection, made anew when it breaks
driver      kinds and settings; the door for everybody else
"""
