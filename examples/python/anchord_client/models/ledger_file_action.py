from enum import StrEnum

class LedgerFileAction(StrEnum):
    CREATED = "created"
    DELETED = "deleted"
    MODIFIED = "modified"
    READ = "read"
    RENAMED = "renamed"

    def __str__(self) -> str:
        return str(self.value)
