from enum import StrEnum

class ProbeVerdict(StrEnum):
    CUT = "cut"
    FAIL = "fail"
    PASS = "pass"

    def __str__(self) -> str:
        return str(self.value)
