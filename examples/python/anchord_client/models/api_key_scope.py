from enum import StrEnum

class ApiKeyScope(StrEnum):
    ADMIN = "admin"
    GATEWAY = "gateway"
    READ = "read"
    WRITE = "write"

    def __str__(self) -> str:
        return str(self.value)
