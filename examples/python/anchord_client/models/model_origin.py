from enum import StrEnum

class ModelOrigin(StrEnum):
    BUILT_IN = "built-in"
    TENANT = "tenant"

    def __str__(self) -> str:
        return str(self.value)
