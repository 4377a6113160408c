from enum import StrEnum

class GateOutcome(StrEnum):
    ACCEPT = "accept"
    FALL_BACK = "fall_back"
    REJECT = "reject"
    REPAIR = "repair"
    SKIP = "skip"

    def __str__(self) -> str:
        return str(self.value)
