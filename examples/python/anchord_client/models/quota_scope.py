from enum import StrEnum

class QuotaScope(StrEnum):
    SESSION = "session"
    TENANT = "tenant"
    WEBHOOK = "webhook"

    def __str__(self) -> str:
        return str(self.value)
