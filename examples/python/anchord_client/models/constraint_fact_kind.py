from enum import StrEnum

class ConstraintFactKind(StrEnum):
    CONSTRAINT = "constraint"

    def __str__(self) -> str:
        return str(self.value)
