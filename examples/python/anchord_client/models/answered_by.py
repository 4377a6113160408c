from enum import StrEnum

class AnsweredBy(StrEnum):
    CODE = "code"
    MODEL = "model"

    def __str__(self) -> str:
        return str(self.value)
