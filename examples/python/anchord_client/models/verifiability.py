from enum import StrEnum

class Verifiability(StrEnum):
    NO = "no"
    PARTLY = "partly"
    YES = "yes"

    def __str__(self) -> str:
        return str(self.value)
