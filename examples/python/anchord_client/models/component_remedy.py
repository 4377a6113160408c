from enum import StrEnum

class ComponentRemedy(StrEnum):
    COMPRESS = "compress"
    LOAD_ON_DEMAND = "load_on_demand"
    MASK = "mask"

    def __str__(self) -> str:
        return str(self.value)
