from enum import StrEnum

class ContextComponent(StrEnum):
    HISTORY = "history"
    RETRIEVED_DOCUMENTS = "retrieved_documents"
    TOOL_OUTPUTS = "tool_outputs"

    def __str__(self) -> str:
        return str(self.value)
