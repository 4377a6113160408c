from enum import StrEnum

class RecallSearchMode(StrEnum):
    HYBRID = "hybrid"
    LEXICAL = "lexical"

    def __str__(self) -> str:
        return str(self.value)
