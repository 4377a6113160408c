from enum import StrEnum

class ExamMode(StrEnum):
    ALWAYS = "always"
    OFF = "off"
    SAMPLED = "sampled"

    def __str__(self) -> str:
        return str(self.value)
