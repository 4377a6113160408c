from enum import StrEnum

class ToolMode(StrEnum):
    NONE = "none"
    OFFERED = "offered"

    def __str__(self) -> str:
        return str(self.value)
