from enum import StrEnum

class SyncOutcome(StrEnum):
    APPENDED = "appended"
    BRANCHED = "branched"
    RETURNED = "returned"
    UNCHANGED = "unchanged"
    WENT_BACK = "went_back"

    def __str__(self) -> str:
        return str(self.value)
