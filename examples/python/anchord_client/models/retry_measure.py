from enum import StrEnum

class RetryMeasure(StrEnum):
    CODE = "code"
    DETAIL = "detail"
    FACTS = "facts"
    SMALLER_PIECES = "smaller_pieces"
    STRATEGY = "strategy"

    def __str__(self) -> str:
        return str(self.value)
