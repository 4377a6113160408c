from enum import StrEnum

class FileStatus(StrEnum):
    FAIL = "fail"
    PASS = "pass"
    UNKNOWN = "unknown"

    def __str__(self) -> str:
        return str(self.value)
