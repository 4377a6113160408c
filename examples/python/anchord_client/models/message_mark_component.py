from enum import StrEnum

class MessageMarkComponent(StrEnum):
    RETRIEVED_DOCUMENTS = "retrieved_documents"

    def __str__(self) -> str:
        return str(self.value)
