from enum import StrEnum

class ConstraintMode(StrEnum):
    BIND = "bind"
    PROPOSE = "propose"

    def __str__(self) -> str:
        return str(self.value)
