from enum import StrEnum

class ProbeMatchKind(StrEnum):
    ALL = "all"
    ANY = "any"
    RATIO = "ratio"

    def __str__(self) -> str:
        return str(self.value)
