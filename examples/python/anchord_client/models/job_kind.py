from enum import StrEnum

class JobKind(StrEnum):
    COMPRESS = "compress"
    EVALUATE = "evaluate"
    INDEX = "index"

    def __str__(self) -> str:
        return str(self.value)
