from enum import StrEnum

class SessionsListIncludeItem(StrEnum):
    POLICY = "policy"
    SETTINGS = "settings"

    def __str__(self) -> str:
        return str(self.value)
