from enum import StrEnum

class WebhookDeliveryFailure(StrEnum):
    ADDRESS = "address"
    CONNECTION = "connection"
    SECRET = "secret"
    STATUS = "status"
    TIMEOUT = "timeout"
    TLS = "tls"

    def __str__(self) -> str:
        return str(self.value)
