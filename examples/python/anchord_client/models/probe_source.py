from enum import StrEnum

class ProbeSource(StrEnum):
    CALLER = "caller"
    EXAM = "exam"
    GENERATED = "generated"

    def __str__(self) -> str:
        return str(self.value)
