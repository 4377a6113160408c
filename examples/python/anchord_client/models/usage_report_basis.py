from enum import StrEnum

class UsageReportBasis(StrEnum):
    GIVEN = "given"
    HEAD = "head"
    SERVED = "served"

    def __str__(self) -> str:
        return str(self.value)
