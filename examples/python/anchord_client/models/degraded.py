from enum import StrEnum

class Degraded(StrEnum):
    NO_VECTORS = "no_vectors"
    SERVER_INVALID = "server_invalid"
    SERVER_SLOW = "server_slow"
    SERVER_UNAVAILABLE = "server_unavailable"

    def __str__(self) -> str:
        return str(self.value)
