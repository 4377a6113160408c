from enum import StrEnum

class ErrorFactKind(StrEnum):
    ERROR = "error"

    def __str__(self) -> str:
        return str(self.value)
