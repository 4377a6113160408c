from enum import StrEnum

class UserRequestState(StrEnum):
    DONE = "done"
    DROPPED = "dropped"
    OPEN = "open"
    SUPERSEDED = "superseded"

    def __str__(self) -> str:
        return str(self.value)
