from enum import StrEnum

class SignalKind(StrEnum):
    CIRCULAR_REASONING = "circular_reasoning"
    CYCLES = "cycles"
    GROWTH = "growth"
    INTENT_LOST = "intent_lost"
    MESSAGE_COUNT = "message_count"
    REREADING = "rereading"
    TASK_BOUNDARY = "task_boundary"
    TURN_COUNT = "turn_count"
    UTILIZATION = "utilization"
    VERBOSITY = "verbosity"

    def __str__(self) -> str:
        return str(self.value)
