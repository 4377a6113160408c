from enum import StrEnum

class CompressionStatus(StrEnum):
    CANCELLED = "cancelled"
    FAILED = "failed"
    QUEUED = "queued"
    REJECTED = "rejected"
    RUNNING = "running"
    SKIPPED = "skipped"
    SUCCEEDED = "succeeded"
    SUPERSEDED = "superseded"

    def __str__(self) -> str:
        return str(self.value)
