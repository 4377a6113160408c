from enum import StrEnum

class MessagesAppendIncludeItem(StrEnum):
    FORMAT = "format"
    SIGNALS = "signals"
    USAGE = "usage"
    WARNINGS = "warnings"

    def __str__(self) -> str:
        return str(self.value)
