from enum import StrEnum

class Engine(StrEnum):
    EXTRACTIVE = "extractive"
    LLM = "llm"

    def __str__(self) -> str:
        return str(self.value)
