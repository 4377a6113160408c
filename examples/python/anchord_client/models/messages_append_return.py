from enum import StrEnum

class MessagesAppendReturn(StrEnum):
    CONTEXT = "context"

    def __str__(self) -> str:
        return str(self.value)
