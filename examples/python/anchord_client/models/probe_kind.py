from enum import StrEnum

class ProbeKind(StrEnum):
    ARTIFACT = "artifact"
    BLOCKER = "blocker"
    CONSTRAINT = "constraint"
    CONTINUATION = "continuation"
    DECISION = "decision"
    RECALL = "recall"

    def __str__(self) -> str:
        return str(self.value)
