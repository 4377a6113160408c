from enum import StrEnum

class SummariesGetStyle(StrEnum):
    ANCHORED = "anchored"
    OPAQUE = "opaque"
    PROTOCOL = "protocol"
    SCRATCH = "scratch"
    STATE = "state"
    STRICT = "strict"

    def __str__(self) -> str:
        return str(self.value)
