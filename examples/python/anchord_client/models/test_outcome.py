from enum import StrEnum

class TestOutcome(StrEnum):
    ERROR = "error"
    FAIL = "fail"
    PASS = "pass"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return str(self.value)
