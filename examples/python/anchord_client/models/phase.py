from enum import StrEnum

class Phase(StrEnum):
    IMPLEMENTATION = "implementation"
    PLANNING = "planning"
    RESEARCH = "research"

    def __str__(self) -> str:
        return str(self.value)
