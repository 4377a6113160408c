from enum import StrEnum

class FileFactKind(StrEnum):
    FILE = "file"

    def __str__(self) -> str:
        return str(self.value)
