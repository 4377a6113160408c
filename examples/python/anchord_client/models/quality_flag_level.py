from enum import StrEnum

class QualityFlagLevel(StrEnum):
    ADVISORY = "advisory"
    CAUTION = "caution"
    RED = "red"

    def __str__(self) -> str:
        return str(self.value)
