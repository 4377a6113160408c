from enum import StrEnum

class TaskStatus(StrEnum):
    ABANDONED = "abandoned"
    ACTIVE = "active"
    COMPLETED = "completed"
    FAILED = "failed"

    def __str__(self) -> str:
        return str(self.value)
