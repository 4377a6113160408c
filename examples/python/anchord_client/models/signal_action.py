from enum import StrEnum

class SignalAction(StrEnum):
    ADVISE = "advise"
    COMPRESS = "compress"
    EVALUATE = "evaluate"
    FORCE = "force"
    IMMEDIATE = "immediate"
    NONE = "none"
    OPTIONAL = "optional"
    WARN = "warn"

    def __str__(self) -> str:
        return str(self.value)
