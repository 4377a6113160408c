from enum import StrEnum

class PolicyName(StrEnum):
    COMBINED = "combined"
    MESSAGE_COUNT = "message_count"
    PROTOCOL = "protocol"
    UTILIZATION = "utilization"

    def __str__(self) -> str:
        return str(self.value)
