from enum import StrEnum

class ErrorStatus(StrEnum):
    INVESTIGATING = "investigating"
    OPEN = "open"
    RESOLVED = "resolved"

    def __str__(self) -> str:
        return str(self.value)
