from enum import StrEnum

class CommandFactKind(StrEnum):
    COMMAND = "command"

    def __str__(self) -> str:
        return str(self.value)
