from enum import StrEnum

class ConstraintSource(StrEnum):
    PIN = "pin"
    SYSTEM = "system"
    USER = "user"

    def __str__(self) -> str:
        return str(self.value)
