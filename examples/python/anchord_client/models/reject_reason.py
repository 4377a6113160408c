from enum import StrEnum

class RejectReason(StrEnum):
    BAD_ID = "bad_id"
    BAD_LINE = "bad_line"
    BAD_PATH = "bad_path"
    MALFORMED_MARKER = "malformed_marker"
    NO_CLOSER = "no_closer"
    NO_NONCE = "no_nonce"

    def __str__(self) -> str:
        return str(self.value)
