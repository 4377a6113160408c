from enum import StrEnum

class HeldBack(StrEnum):
    AUTO_IS_OFF = "auto_is_off"
    BACKING_OFF = "backing_off"
    FEW_MESSAGES = "few_messages"
    JUST_COMPRESSED = "just_compressed"
    NOTHING_TO_COVER = "nothing_to_cover"
    SUSPENDED = "suspended"

    def __str__(self) -> str:
        return str(self.value)
