from enum import StrEnum

class KeepOutput(StrEnum):
    ALWAYS = "always"
    NEVER = "never"

    def __str__(self) -> str:
        return str(self.value)
