from enum import StrEnum

class TranscriptSyncIncludeItem(StrEnum):
    FORMAT = "format"
    SIGNALS = "signals"
    USAGE = "usage"
    WARNINGS = "warnings"

    def __str__(self) -> str:
        return str(self.value)
