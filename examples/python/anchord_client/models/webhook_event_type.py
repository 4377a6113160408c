from enum import StrEnum

class WebhookEventType(StrEnum):
    COMPRESSION_FAILED = "compression.failed"
    COMPRESSION_SKIPPED = "compression.skipped"
    COMPRESSION_STARTED = "compression.started"
    COMPRESSION_SUCCEEDED = "compression.succeeded"
    SESSION_BRANCH_SWITCHED = "session.branch_switched"
    SUMMARY_PUBLISHED = "summary.published"
    TRIGGER_WARNED = "trigger.warned"

    def __str__(self) -> str:
        return str(self.value)
