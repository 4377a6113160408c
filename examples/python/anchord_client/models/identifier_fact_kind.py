from enum import StrEnum

class IdentifierFactKind(StrEnum):
    IDENTIFIER = "identifier"

    def __str__(self) -> str:
        return str(self.value)
