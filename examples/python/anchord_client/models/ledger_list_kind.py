from enum import StrEnum

class LedgerListKind(StrEnum):
    COMMAND = "command"
    CONSTRAINT = "constraint"
    ERROR = "error"
    FILE = "file"
    IDENTIFIER = "identifier"
    TEST_RUN = "test_run"

    def __str__(self) -> str:
        return str(self.value)
