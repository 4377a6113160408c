from enum import StrEnum

class TestRunFactKind(StrEnum):
    TEST_RUN = "test_run"

    def __str__(self) -> str:
        return str(self.value)
