from enum import StrEnum

class UsageReportVerdict(StrEnum):
    IGNORED = "ignored"
    TOO_SMALL = "too_small"
    USED = "used"

    def __str__(self) -> str:
        return str(self.value)
