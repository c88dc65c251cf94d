"""Leave that an operator gives once for a project, kept in their own configuration and bound to the code it was given for."""

from sabir.operations.consent.code import Changes
from sabir.operations.consent.leave import Leave, find_leave, give_leave, listed_leave, revoke_leave

__all__ = ["Changes", "Leave", "find_leave", "give_leave", "listed_leave", "revoke_leave"]
