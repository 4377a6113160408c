from enum import StrEnum

class Strategy(StrEnum):
    ANCHORED = "anchored"
    OPAQUE = "opaque"
    REGENERATIVE = "regenerative"
    ROLLBACK = "rollback"
    SLIDING_WINDOW = "sliding_window"

    def __str__(self) -> str:
        return str(self.value)
