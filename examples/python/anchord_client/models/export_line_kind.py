from enum import StrEnum

class ExportLineKind(StrEnum):
    END = "end"
    MESSAGE = "message"
    SESSION = "session"
    VERSION = "version"

    def __str__(self) -> str:
        return str(self.value)
