from enum import StrEnum

class SummaryForm(StrEnum):
    FULL = "full"
    LEAST = "least"
    REDUCED = "reduced"

    def __str__(self) -> str:
        return str(self.value)
