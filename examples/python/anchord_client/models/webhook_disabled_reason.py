from enum import StrEnum

class WebhookDisabledReason(StrEnum):
    CALLER = "caller"
    FAILING = "failing"
    GONE = "gone"

    def __str__(self) -> str:
        return str(self.value)
