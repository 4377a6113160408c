from enum import StrEnum

class WarningCode(StrEnum):
    EMPTY_USER_MESSAGE = "empty-user-message"
    MODEL_UNKNOWN = "model-unknown"
    OUTPUT_LARGER_THAN_WINDOW = "output-larger-than-window"
    REQUESTED_MODEL_UNKNOWN = "requested-model-unknown"
    TOOL_RESULT_WITHOUT_CALL = "tool-result-without-call"
    WINDOW_ASSUMED = "window-assumed"

    def __str__(self) -> str:
        return str(self.value)
