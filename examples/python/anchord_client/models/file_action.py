from enum import StrEnum

class FileAction(StrEnum):
    CREATED = "created"
    DELETED = "deleted"
    MODIFIED = "modified"
    RENAMED = "renamed"

    def __str__(self) -> str:
        return str(self.value)
