"""How a statement tells its block to go on differently. A statement that ends normally gives None."""

from __future__ import annotations

from enum import Enum
from typing import Final

__all__ = ["BREAK", "CONTINUE", "RETURN", "Signal"]


class Signal(Enum):
    BREAK = "Break"
    CONTINUE = "Continue"
    RETURN = "Return"


BREAK: Final = Signal.BREAK
CONTINUE: Final = Signal.CONTINUE
RETURN: Final = Signal.RETURN
